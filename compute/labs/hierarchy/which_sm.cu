// Which multiprocessor? A block stays on one from its first instruction to its last; which one is unspecified.
struct Cell {
    int block, thread, warp, lane, sm;
};

extern "C" __global__ void hierarchy_which_sm(Cell* cells, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm)); // C++ has no name for it
    cells[y * width + x] = {block, thread, thread / 32, thread % 32, sm};
}
