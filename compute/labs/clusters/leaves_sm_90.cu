// Leaves early: the last barrier is missing. A block that has read what it needs ends, and its shared memory
// with it, while other blocks of the cluster still read there.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void count(const unsigned short* samples, int n, unsigned* counts, int bins)
{
    extern __shared__ unsigned mine[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[samples[i]], 1);

    cluster.sync(); // all blocks have counted
    for (int bin = cluster.thread_rank(); bin < bins; bin += cluster.num_threads()) {
        unsigned sum = 0;
        for (int block = 0; block < cluster.num_blocks(); ++block) sum += cluster.map_shared_rank(mine, block)[bin];
        atomicAdd(&counts[bin], sum);
    }
}

extern "C" __global__ void __cluster_dims__(2) clusters_leaves_2(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}

extern "C" __global__ void __cluster_dims__(4) clusters_leaves_4(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}

extern "C" __global__ void __cluster_dims__(8) clusters_leaves_8(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}
