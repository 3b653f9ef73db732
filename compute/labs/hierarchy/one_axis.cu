// 1-D grid: blocks and threads are counted along one line, which wraps around at the end of each row.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_one_axis(Cell* cells, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    int block = blockIdx.x;
    int thread = threadIdx.x;
    cells[i] = {block, thread, thread / 32, thread % 32};
}
