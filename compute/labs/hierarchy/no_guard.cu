// A mistake: the grid consists of whole blocks, the picture does not, and surplus threads aren't stopped. They write past
// the last cell, into memory that isn't theirs.
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
