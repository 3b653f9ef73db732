// Grid-wide barrier: all blocks wait, and each reads what another has written.
#include <cooperative_groups.h>

__global__ void grid_sync(int* values)
{
    const auto grid = cooperative_groups::this_grid();
    const int count = gridDim.x * blockDim.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i;
    grid.sync();
    const int other = values[count - 1 - i];
    grid.sync();
    values[i] += 10 * other;
}
