// 3-D grid: blocks are bricks of a volume, whose four slices are stacked in the picture. x varies fastest,
// then y, then z.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_three_axes(Cell* cells, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;

    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    cells[(z * height + y) * width + x] = {block, thread, thread / 32, thread % 32};
}
