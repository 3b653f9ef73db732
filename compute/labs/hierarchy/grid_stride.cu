// Grid-stride: the grid is smaller than the picture. Each thread advances by the total number of threads until it passes
// the end, so the same blocks recur.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_grid_stride(Cell* cells, int count)
{
    int block = blockIdx.x;
    int thread = threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = block * blockDim.x + thread; i < count; i += stride)
        cells[i] = {block, thread, thread / 32, thread % 32};
}
