// Grid-stride: the grid is smaller than the picture. Each thread advances by the number of all threads until nothing is
// left, so the same blocks come again and again.
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
