// One block computes all generations in one launch. Its threads wait for each other at a barrier, which takes far less
// than a launch, but the other multiprocessors are idle.
__device__ int lives(const unsigned char* cells, int size, int x, int y)
{
    int left = (x + size - 1) % size, right = (x + 1) % size; // the edges meet
    int below = (y + size - 1) % size * size, here = y * size, above = (y + 1) % size * size;
    int neighbours = cells[below + left] + cells[below + x] + cells[below + right] + cells[here + left] +
                     cells[here + right] + cells[above + left] + cells[above + x] + cells[above + right];
    return neighbours == 3 || (neighbours == 2 && cells[here + x]);
}

extern "C" __global__ void life_one_block(unsigned char* now, unsigned char* next, int size, int generations)
{
    for (int generation = 0; generation < generations; ++generation) {
        for (int i = threadIdx.x; i < size * size; i += blockDim.x) next[i] = lives(now, size, i % size, i / size);
        __syncthreads(); // all cells are stored
        unsigned char* swapped = now;
        now = next;
        next = swapped;
    }
}
