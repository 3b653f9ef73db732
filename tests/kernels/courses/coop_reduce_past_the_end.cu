// A sum with cooperative groups: each warp adds up its lanes' partial sums.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void total(const int *in, int *out, int n)
{
    auto grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = 0;
    for (int i = grid.thread_rank(); i <= n; i += grid.size()) sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(out, sum);
}
int main()
{
    const int n = 5000;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    total<<<8, 256>>>(in, out, n);
}
