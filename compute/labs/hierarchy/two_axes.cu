// 2-D grid: blocks are tiles of the picture. Within a block threads are numbered row by row, and 32 consecutive
// numbers are a warp.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_two_axes(Cell* cells, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    cells[y * width + x] = {block, thread, thread / 32, thread % 32};
}
