// Clusters of blocks: distributed shared memory, barriers of the cluster, and their registers.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Counters that are divided among the blocks of a cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(unsigned* out, const unsigned* in)
{
    __shared__ unsigned counters[64];
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 64) counters[threadIdx.x] = 0;
    cluster.sync();
    const unsigned bin = in[blockIdx.x * blockDim.x + threadIdx.x] % 256;
    atomicAdd(cluster.map_shared_rank(counters, bin / 64) + bin % 64, 1u);
    cluster.sync();
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = counters[threadIdx.x];
}

// Values move from block to block, around the cluster.
extern "C" __global__ void __cluster_dims__(8, 1, 1) cluster_ring(unsigned* out, const unsigned* in)
{
    __shared__ unsigned slots[2][128];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    slots[0][threadIdx.x] = in[i];
    unsigned sum = 0;
    cluster.sync();
    for (unsigned round = 0; round < cluster.num_blocks(); ++round) {
        const unsigned value = slots[round % 2][threadIdx.x];
        sum = sum * 5 + value;
        cluster.map_shared_rank(&slots[(round + 1) % 2][0], next)[127 - threadIdx.x] = value;
        cluster.sync();
    }
    out[i] = sum;
}

// Sums of clusters, by 32-bit addresses of their shared memory.
extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_sum(unsigned* out, const unsigned* in)
{
    __shared__ unsigned total;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    atomicAdd(&total, in[block * blockDim.x + threadIdx.x]);
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x < cluster.num_blocks()) {
        const unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(&total));
        unsigned there, value;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(threadIdx.x));
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
        out[block * 4 + threadIdx.x] = value;
    }
    cluster.sync();
}

// Registers, ranks and windows.
extern "C" __global__ void __cluster_dims__(2, 1, 2) cluster_places(unsigned* out)
{
    __shared__ unsigned place;
    unsigned* mine = out + ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 24;
    unsigned k = 0;
#define STORE(name)                                                                                \
    {                                                                                              \
        unsigned value;                                                                            \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value));                                     \
        mine[k++] = value;                                                                         \
    }
    STORE("clusterid.x")
    STORE("clusterid.y")
    STORE("clusterid.z")
    STORE("nclusterid.x")
    STORE("nclusterid.y")
    STORE("nclusterid.z")
    STORE("cluster_ctaid.x")
    STORE("cluster_ctaid.y")
    STORE("cluster_ctaid.z")
    STORE("cluster_nctaid.x")
    STORE("cluster_nctaid.y")
    STORE("cluster_nctaid.z")
    STORE("cluster_ctarank")
    STORE("cluster_nctarank")
#undef STORE
    const cg::cluster_group cluster = cg::this_cluster();
    for (unsigned rank = 0; rank < 4; ++rank) {
        const unsigned* there = cluster.map_shared_rank(&place, rank);
        unsigned cta, all;
        asm("{\n.reg .pred p;\nisspacep.shared::cta p, %1;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(cta) : "l"(there));
        asm("{\n.reg .pred p;\nisspacep.shared::cluster p, %1;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(all) : "l"(there));
        mine[k++] = cluster.query_shared_rank(there) * 4 + cta * 2 + all;
    }
    cluster.sync();
}

// Each block arrives at the barrier object of the next one after writing to its memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_mail(unsigned* out, const unsigned* in)
{
    __shared__ unsigned long long full;
    __shared__ unsigned mail[128];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(at));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned next = (cluster.block_rank() + 1) % 4;
    cluster.map_shared_rank(mail, next)[threadIdx.x] = in[i];
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(next));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n"
                 "@!done bra AGAIN;\n}" ::"r"(at) : "memory");
    out[i] = mail[127 - threadIdx.x];
    cluster.sync();
}
