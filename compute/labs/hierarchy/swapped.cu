// A mistake: x from .y and y from .x. The grid was made for x along the rows, so part of the picture gets no thread, and
// the lanes of a warp run down a column.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_swapped(Cell* cells, int width, int height)
{
    int x = blockIdx.y * blockDim.y + threadIdx.y; // .y should be .x
    int y = blockIdx.x * blockDim.x + threadIdx.x; // .x should be .y
    if (x >= width || y >= height) return;

    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    cells[y * width + x] = {block, thread, thread / 32, thread % 32};
}
