// All blocks compute all generations in one launch. A barrier of the whole grid separates the generations; it needs all
// blocks to be resident at the same time.
#include <cooperative_groups.h>

__device__ int lives(const unsigned char* cells, int size, int x, int y)
{
    int left = (x + size - 1) % size, right = (x + 1) % size; // the edges meet
    int below = (y + size - 1) % size * size, here = y * size, above = (y + 1) % size * size;
    int neighbours = cells[below + left] + cells[below + x] + cells[below + right] + cells[here + left] +
                     cells[here + right] + cells[above + left] + cells[above + x] + cells[above + right];
    return neighbours == 3 || (neighbours == 2 && cells[here + x]);
}

extern "C" __global__ void life_grid_barrier(unsigned char* now, unsigned char* next, int size, int generations)
{
    auto grid = cooperative_groups::this_grid();
    for (int generation = 0; generation < generations; ++generation) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size * size; i += gridDim.x * blockDim.x)
            next[i] = lives(now, size, i % size, i / size);
        grid.sync();
        unsigned char* swapped = now;
        now = next;
        next = swapped;
    }
}
