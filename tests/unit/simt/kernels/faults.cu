// Faulty kernels, each with a different defect.
extern "C" __global__ void past_the_end(float* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = n;
}

extern "C" __global__ void before_the_start(const int* a, int* out)
{
    out[threadIdx.x] = a[(int)threadIdx.x - 2];
}

extern "C" __global__ void null_pointer(int* a) { a[threadIdx.x] = 1; }

extern "C" __global__ void misaligned(const char* a, int* out)
{
    out[threadIdx.x] = *reinterpret_cast<const int*>(a + threadIdx.x * 4 + (threadIdx.x == 5 ? 1 : 0));
}

extern "C" __global__ void shared_overrun(int* out)
{
    __shared__ int tile[32];
    tile[threadIdx.x + (out[0] == 0 ? 1 : 0)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void missed_barrier(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) asm volatile("barrier.sync 1;" ::: "memory");
    else asm volatile("barrier.sync 2;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void half_warp_barrier(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void barrier_by_halves(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) asm volatile("barrier.sync 1;" ::: "memory");
    else asm volatile("barrier.sync 1;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void aligned_barrier_by_halves(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) asm volatile("barrier.sync.aligned 1;" ::: "memory");
    else asm volatile("barrier.sync.aligned 1;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void unset_shared(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void unset_global(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

extern "C" __global__ void race(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void block_faults(int* a)
{
    if (blockIdx.x >= 3) a[1 << 20] = 1;
}

// An uninitialised plane is copied, and used only after all planes have been read.
extern "C" __global__ void unset_but_unused(const float* in, float* out, int n)
{
    __shared__ float plane[3][64];
    int t = threadIdx.x;
    plane[2][t] = in[t];
    for (int i = 0; i < n; ++i) {
        plane[0][t] = plane[1][t];
        plane[1][t] = plane[2][t];
        plane[2][t] = in[64 * (i + 1) + t];
        if (i > 0) out[64 * i + t] = plane[0][t] + plane[2][t];
    }
}

extern "C" __global__ void unset_branch(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    if (tile[threadIdx.x] + 1 > 1) out[threadIdx.x] = 3;
}

extern "C" __global__ void unset_address(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    out[tile[threadIdx.x] & 31] = 3;
}

// All threads store one value; then some store another value, again all the same.
extern "C" __global__ void same_value(const int* in, int* out)
{
    __shared__ int done;
    done = 1;
    __syncthreads();
    if (in[threadIdx.x] > 50) done = 0;
    __syncthreads();
    out[threadIdx.x] = done;
}

extern "C" __global__ void other_values(int* out)
{
    __shared__ int last;
    last = threadIdx.x / 32;
    __syncthreads();
    out[threadIdx.x] = last;
}

// A flag in shared memory, set after a fence or without one.
extern "C" __global__ void flag_in_shared(int* out, int fenced)
{
    __shared__ int data[2];
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data[out[1]] = 42; // out[1] is 0, which the compiler cannot know
        if (fenced) __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        out[0] = data[out[1]];
    }
}

// Spins on an atomic that changes nothing.
extern "C" __global__ void atomic_wait(int* flag, int* out)
{
    if (threadIdx.x % 32 != 0) return;
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {}
        out[0] = 5;
    } else {
        __threadfence();
        atomicExch(flag, 1);
    }
}

extern "C" __global__ void every_block_faults(int* a)
{
    a[threadIdx.x + 64 * blockIdx.x] = 7;
    if (blockIdx.x % 2 == 1) a[1 << 20] = 1;
}

// The address register changes every iteration, with nothing in between.
extern "C" __global__ void pairs(const int* in, int* out, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i + 1 < n; i += 32) sum += in[i] * 3 + in[i + 1];
    out[threadIdx.x] = sum;
}

// Uninitialised values are shuffled, selected from and loaded next to used ones.
extern "C" __global__ void unset_beside(int* out, int n)
{
    __shared__ int tile[64];
    __shared__ int4 wide[64];
    if (threadIdx.x < 8) tile[threadIdx.x] = threadIdx.x;
    int* words = reinterpret_cast<int*>(wide);
    words[4 * threadIdx.x + 1] = threadIdx.x;
    __syncthreads();
    int all = tile[threadIdx.x];
    int shuffled = __shfl_sync(~0u, all, threadIdx.x % n); // n is 8
    if (threadIdx.x < 32 && shuffled > 5) out[threadIdx.x] = 1;
    int chosen = threadIdx.x < n ? all : 3;
    if (chosen == 3) out[threadIdx.x] += 2;
    int4 four;
    unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&wide[threadIdx.x]));
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w) : "r"(place));
    if (four.y > 40) out[threadIdx.x] += 4;
}

// The same with values that matter.
extern "C" __global__ void unset_shuffled(int* out, int n)
{
    __shared__ int tile[64];
    if (threadIdx.x < 8) tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int shuffled = __shfl_sync(~0u, tile[threadIdx.x], threadIdx.x % n + n);
    if (shuffled > 5) out[threadIdx.x] = 1;
}

// A maximum by compare-and-swap whose first read is a plain load.
extern "C" __global__ void swap_maximum(const int* in, int* most)
{
    int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int old = *most;
    while (old < mine) {
        int seen = atomicCAS(most, old, mine);
        if (seen == old) break;
        old = seen;
    }
}

extern "C" __global__ void test_minimum(const int* in, int* least)
{
    int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (mine < *least) atomicMin(least, mine);
}

// Reads a sum once while other threads are still adding to it.
extern "C" __global__ void sum_too_early(int* sum, int* out)
{
    atomicAdd(sum + 1, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = sum[1];
}

extern "C" __global__ void look_only(int* sum, int* out)
{
    if (blockIdx.x == 0)
        atomicAdd(sum, 1);
    else
        out[blockIdx.x] = *sum;
}

// One level of a breadth-first search: blocks read marks that others set at the same time, but all
// of them set the same mark, and a thread that sees no mark sets it again.
extern "C" __global__ void search_level(int* level, const int* neighbours, int depth)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[node] != depth) return;
    for (int i = 0; i < 4; ++i) {
        int next = neighbours[4 * node + i];
        if (level[next] < 0) level[next] = depth + 1;
    }
}

// The same, but the mark identifies the thread that set it: the first one wins.
extern "C" __global__ void search_parent(int* level, const int* neighbours, int depth)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[node] < 0) return;
    for (int i = 0; i < 4; ++i) {
        int next = neighbours[4 * node + i];
        if (level[next] < 0) level[next] = depth + 1 + node;
    }
}

// The same mark from all threads, but set without reading it first.
extern "C" __global__ void mark_blindly(int* level, const int* neighbours, int depth)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[node] == depth) level[neighbours[4 * node]] = depth + 1;
}

// Threads n and above have already exited when the others reach the barrier.
extern "C" __global__ void barrier_of_some(int* out, int n)
{
    __shared__ int tile[64];
    if (threadIdx.x >= n) return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// The warps meet, but at two different barriers.
extern "C" __global__ void barriers_of_two_lines(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) {
        __syncthreads();
        out[threadIdx.x] = tile[63 - threadIdx.x];
    } else {
        __syncthreads();
        out[threadIdx.x] = 2 * tile[63 - threadIdx.x];
    }
}

// Lanes 8 to 15 read from lanes that the mask does not name. `used`: their values are stored.
extern "C" __global__ void sum_of_half_warp(int* out, const int* in, int used)
{
    int lane = threadIdx.x % 32;
    int value = in[threadIdx.x];
    if (lane < 16)
        for (int offset = 8; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffff, value, offset);
    if (value > 1000) out[63] = 1; // lanes whose value is unused may look at it
    if (lane == 0 || (used && lane < 16)) out[threadIdx.x] = value;
}

// A sum in the style used before Volta: volatile instead of __syncwarp().
extern "C" __global__ void volatile_sum(int* out)
{
    __shared__ volatile int part[64];
    int i = threadIdx.x;
    part[i] = i;
    __syncthreads();
    if (i < 32) {
        part[i] += part[i + 32];
        part[i] += part[i + 16];
        part[i] += part[i + 8];
        part[i] += part[i + 4];
        part[i] += part[i + 2];
        part[i] += part[i + 1];
    }
    if (i == 0) *out = part[0];
}

extern "C" __global__ void count_in_block_scope(int* count)
{
    atomicAdd_block(count, 1);
}

// Lanes 16 to 31 do not take part in the __syncwarp() before their values are read.
extern "C" __global__ void sync_of_half_warp(int* out, int all)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    if (all) __syncwarp();
    if (threadIdx.x >= 16) return;
    __syncwarp(0xffff);
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

extern "C" __global__ void read_only_after_write(int* data, int* out)
{
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = __ldg(data + blockDim.x - 1 - threadIdx.x);
}

// A level of a search whose mark is set by compare-and-swap: a block may read it marked or not.
extern "C" __global__ void search_swapping(int* level, const int* neighbours, int depth)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[node] != depth) return;
    for (int i = 0; i < 4; ++i) atomicCAS(&level[neighbours[4 * node + i]], -1, depth + 1);
}

// The halves of a warp store to two buffers, twice, with the same values the second time.
extern "C" __global__ void halves_apart(int* a, int* b)
{
    int lane = threadIdx.x;
    int* place = lane < 16 ? a + lane % 8 : b + lane % 8;
    *place = 7;
    place[1 - 2 * (lane & 1)] = 7;
}

// Moves values in place, as a scan that compacts does: a block writes over what the one before has
// read, once it sees that block's flag. There are no fences.
extern "C" __global__ void moved_in_place(int* values, volatile int* taken, int waits, int rereads)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = values[i];
    if (rereads) values[i] = value + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (waits && blockIdx.x > 0 && taken[blockIdx.x - 1] == 0) {
        }
        taken[blockIdx.x] = 1;
    }
    __syncthreads();
    if (rereads && blockIdx.x > 0)
        values[i] = values[i - blockDim.x];
    else if (blockIdx.x > 0)
        values[i - blockDim.x / 2] = value;
}

__device__ int last_block_of_all;
extern "C" __global__ void variable_race()
{
    if (threadIdx.x == 0) last_block_of_all = blockIdx.x;
}

extern "C" __global__ void before_first(const float* in, float* out, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - in[i - 1];
}
