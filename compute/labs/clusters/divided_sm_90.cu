// Divided: the counters are divided among the blocks of a cluster, and a thread adds to the shared memory of
// whichever block has the counter. A cluster has one set of counters, so it is added only once.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void count(const unsigned short* samples, int n, unsigned* counts, int bins)
{
    extern __shared__ unsigned mine[]; // counters rank * share, rank * share + 1, …
    cg::cluster_group cluster = cg::this_cluster();
    int share = (bins + cluster.num_blocks() - 1) / cluster.num_blocks();
    for (int bin = threadIdx.x; bin < share; bin += blockDim.x) mine[bin] = 0;
    cluster.sync(); // all counters of the cluster are 0

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int owner = samples[i] / share;
        atomicAdd(cluster.map_shared_rank(mine, owner) + samples[i] % share, 1);
    }

    cluster.sync(); // all samples of the cluster are counted
    int first = cluster.block_rank() * share;
    for (int bin = threadIdx.x; bin < min(share, bins - first); bin += blockDim.x)
        atomicAdd(&counts[first + bin], mine[bin]);
}

extern "C" __global__ void __cluster_dims__(2) clusters_divided_2(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}

extern "C" __global__ void __cluster_dims__(4) clusters_divided_4(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}

extern "C" __global__ void __cluster_dims__(8) clusters_divided_8(
    const unsigned short* samples, int n, unsigned* counts, int bins)
{
    count(samples, n, counts, bins);
}
