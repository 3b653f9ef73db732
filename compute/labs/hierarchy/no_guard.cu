// A mistake: the grid is whole blocks, the picture is not, and nothing stops the surplus threads. They write past
// the last cell, into memory that is not theirs.
struct Cell {
    int block, thread, warp, lane;
};

extern "C" __global__ void hierarchy_no_guard(Cell* cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // if (i >= count) return; is missing

    int block = blockIdx.x;
    int thread = threadIdx.x;
    cells[i] = {block, thread, thread / 32, thread % 32};
}
