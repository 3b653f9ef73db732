// A sum with cooperative groups: warp-sized tiles, then one atomic per tile.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void groupsSum(const int* values, int* total, int n)
{
    __shared__ int parts[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int mine = i < n ? values[i] : 0;
    for (int step = tile.size() / 2; step > 0; step /= 2) mine += tile.shfl_down(mine, step);
    if (tile.thread_rank() == 0) parts[block.thread_rank() / 32] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += parts[k];
        atomicAdd(total, sum);
    }
}

int main()
{
    const int n = 10000;
    int *values, *total;
    cudaMalloc(&values, n * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    groupsSum<<<(n + 255) / 256, 256>>>(values, total, n);
    cudaDeviceSynchronize();
}
