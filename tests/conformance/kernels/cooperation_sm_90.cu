// Cooperation beyond a block or through dynamically allocated memory: grid-wide barriers, barrier
// objects (mbarrier) in shared memory, the device heap.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Every block reads values that another block wrote before the barrier; twenty rounds.
extern "C" __global__ void grid_rounds(unsigned* out, const unsigned* in)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned count = gridDim.x * blockDim.x;
    out[i] = in[i];
    for (unsigned round = 1; round <= 20; ++round) {
        grid.sync();
        const unsigned other = out[(i + round * 131) % count];
        grid.sync();
        out[i] = other * 3 + round;
    }
}

// Two-level sum over the grid.
extern "C" __global__ void grid_sum(unsigned* sums, unsigned* total, const unsigned* in)
{
    const cg::grid_group grid = cg::this_grid();
    __shared__ unsigned parts[128];
    parts[threadIdx.x] = in[grid.thread_rank()];
    __syncthreads();
    for (unsigned half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned block = 0; block < gridDim.x; ++block) *total += sums[block];
}

// Linked lists allocated with malloc and new, built by each thread and summed by its neighbour.
struct Node {
    unsigned value;
    Node* next;
};

extern "C" __global__ void heap_lists(unsigned* out, const unsigned* in)
{
    __shared__ Node* lists[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Node* list = nullptr;
    for (unsigned k = 0; k < 1 + threadIdx.x % 4; ++k) {
        auto* node = k % 2 == 0 ? new Node : static_cast<Node*>(malloc(sizeof(Node)));
        node->value = in[i] >> k;
        node->next = list;
        list = node;
    }
    lists[threadIdx.x] = list;
    __syncthreads();
    unsigned sum = 0;
    Node* node = lists[(threadIdx.x + 1) % blockDim.x];
    while (node != nullptr) {
        sum = sum * 31 + node->value;
        Node* done = node;
        node = node->next;
        free(done);
    }
    auto* words = new unsigned[5];
    for (int k = 0; k < 5; ++k) words[k] = sum + k;
    out[i] = words[sum % 5];
    delete[] words;
}

__device__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void wait_for(const void* barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// Two warps fill a tile and two others consume it, alternating, without a block-wide barrier.
extern "C" __global__ void handed_over(unsigned* out, const unsigned* in)
{
    __shared__ unsigned tile[64];
    __shared__ unsigned long long full, empty;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&full)));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&empty)));
    }
    __syncthreads();
    const unsigned place = threadIdx.x % 64;
    unsigned sum = 0;
    for (unsigned round = 0; round < 5; ++round) {
        if (threadIdx.x < 64) {
            if (round > 0) wait_for(&empty, (round - 1) & 1);
            tile[place] = in[blockIdx.x * 128 + place] + round;
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&full)) : "memory");
            sum += round;
        } else {
            wait_for(&full, round & 1);
            sum = sum * 5 + tile[63 - place];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty)) : "memory");
        }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Barrier states, dropped arrivals, counts and expected bytes: every query's result is stored.
extern "C" __global__ void barrier_states(unsigned* out)
{
    __shared__ unsigned long long barrier;
    const unsigned at = shared_address(&barrier);
    unsigned* mine = out + threadIdx.x * 8;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(at));
    __syncthreads();
    unsigned long long state;
    unsigned done, count;
    const auto test = [&] {
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done) : "r"(at), "l"(state) : "memory");
        return done;
    };
    // Half of the threads leave the barrier permanently.
    if (threadIdx.x % 2 == 0)
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    else
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    while (test() == 0) {}
    mine[0] = done;
    __syncthreads();
    // One thread arrives on behalf of 64.
    if (threadIdx.x == 5) {
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 63;" : "=l"(state) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
        mine[1] = count;
        mine[2] = test();
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
        mine[3] = count;
        mine[4] = test();
    }
    __syncthreads();
    // The phase also waits for bytes.
    if (threadIdx.x == 9) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 48;" : "=l"(state) : "r"(at) : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 63;" : "=l"(state) : "r"(at) : "memory");
        mine[5] = test();
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 40;" ::"r"(at) : "memory");
        mine[6] = test();
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 8;" ::"r"(at) : "memory");
        mine[7] = test();
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    }
}

// cp.async arrives at a barrier on completion.
extern "C" __global__ void copies_arrive(unsigned* out, const unsigned* in)
{
    __shared__ alignas(16) unsigned tile[512];
    __shared__ unsigned long long barrier;
    const unsigned at = shared_address(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(at));
    __syncthreads();
    const unsigned i = threadIdx.x * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(tile + i)), "l"(in + i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    wait_for(&barrier, 0);
    for (unsigned k = 0; k < 4; ++k) out[i + k] = tile[511 - i - k];
}

// Programmatic dependent launch instructions, which have no effect here.
extern "C" __global__ void dependent_launch(unsigned* out, const unsigned* in)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] ^ 0x55u;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
