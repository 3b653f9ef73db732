// A launch per generation of Conway's Game of Life, one thread per cell. The launches can be queued one by one, or captured
// in a graph once and then launched with a single call: the kernel is the same.
__device__ int lives(const unsigned char* cells, int size, int x, int y)
{
    int left = (x + size - 1) % size, right = (x + 1) % size; // the edges meet
    int below = (y + size - 1) % size * size, here = y * size, above = (y + 1) % size * size;
    int neighbours = cells[below + left] + cells[below + x] + cells[below + right] + cells[here + left] +
                     cells[here + right] + cells[above + left] + cells[above + x] + cells[above + right];
    return neighbours == 3 || (neighbours == 2 && cells[here + x]);
}

extern "C" __global__ void life_generation(const unsigned char* now, unsigned char* next, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size * size) next[i] = lives(now, size, i % size, i / size);
}
