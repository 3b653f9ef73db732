// Kernels in clusters of blocks, through cooperative groups, and the same with one mistake.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block adds its elements to counters that are divided among the blocks of its cluster.
extern "C" __global__ void histogram(const int* in, int* out, int elements, int bins)
{
    extern __shared__ int counters[];
    const cg::cluster_group cluster = cg::this_cluster();
    const int per_block = bins / static_cast<int>(cluster.num_blocks());
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) counters[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < elements; i += cluster.num_threads()) {
        const int bin = in[i] % bins;
        atomicAdd(cluster.map_shared_rank(counters, bin / per_block) + bin % per_block, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        out[cluster.block_rank() * per_block + i] = counters[i];
}

// Values move from block to block, once around the cluster.
template <bool Ordered>
__device__ void pass_around(int* out)
{
    __shared__ int slots[2][32];
    const cg::cluster_group cluster = cg::this_cluster();
    slots[0][threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int sum = 0;
    cluster.sync();
    for (unsigned round = 0; round < cluster.num_blocks(); ++round) {
        const int value = slots[round % 2][threadIdx.x];
        sum = sum * 3 + value;
        cluster.map_shared_rank(&slots[(round + 1) % 2][0], next)[threadIdx.x] = value;
        if (Ordered) cluster.sync();
    }
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(int* out)
{
    pass_around<true>(out);
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) unordered_ring(int* out)
{
    pass_around<false>(out);
}

// Sums up a cluster's elements: warps, blocks, then the cluster.
template <bool Waits>
__device__ void sum_up(const int* in, int* out)
{
    __shared__ int total;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const int of_warp = __reduce_add_sync(~0u, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, of_warp);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
            sum += *cluster.map_shared_rank(&total, rank);
        out[blockIdx.x / cluster.num_blocks()] = sum;
    }
    if (Waits) cluster.sync();
}
extern "C" __global__ void sums(const int* in, int* out)
{
    sum_up<true>(in, out);
}
extern "C" __global__ void leaves_too_early(const int* in, int* out)
{
    sum_up<false>(in, out);
}

// The last block of the cluster waits in its own shared memory for a flag of each other block.
extern "C" __global__ void mailboxes(int* out)
{
    __shared__ unsigned long long full;
    __shared__ int mail[8];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned last = cluster.num_blocks() - 1;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(last));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() != last) {
        *cluster.map_shared_rank(&mail[cluster.block_rank()], last) = 10 * blockIdx.x + 7;
        unsigned there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(last));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                     : "memory");
    }
    if (cluster.block_rank() == last) {
        asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n"
                     "@!done bra AGAIN;\n}" ::"r"(at)
                     : "memory");
        if (threadIdx.x == 0)
            for (unsigned rank = 0; rank < last; ++rank)
                out[blockIdx.x / cluster.num_blocks() * last + rank] = mail[rank];
    }
    cluster.sync();
}

// The first cluster waits for a flag in global memory that the last one sets.
extern "C" __global__ void __cluster_dims__(2, 1, 1) awaits_last(int* flag, int* out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0) {}
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) atomicExch(flag, 1);
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
