// Ordered: positions come from a prefix sum instead of a counter, so kept elements stay in order. Each block finds its sum
// by looking back: it publishes how many it keeps, then adds up the blocks before it, 32 at a time, back to the
// nearest one that already knows its position.
constexpr int threads = 384;
constexpr int vectors = 7; // of four elements, per thread
constexpr int tile = threads * vectors * 4;
constexpr unsigned all_lanes = 0xffffffff;
constexpr unsigned own_sum = 1, whole_sum = 2;

// A tile's state is a single 64-bit word, so that flag and number are always seen together.
// Flags: 0 nothing known yet, 1 the tile's own sum, 2 the sum of all tiles up to this one.
__device__ unsigned long long word_of(unsigned flag, unsigned number)
{
    return static_cast<unsigned long long>(flag) << 32 | number;
}

// Called by all lanes of a warp: number of elements kept before tile `mine`.
__device__ unsigned kept_before(const volatile unsigned long long* states, int mine, int lane)
{
    unsigned sum = 0;
    for (int at = mine - 1 - lane;; at -= 32) {
        unsigned long long word;
        unsigned found, known, needed;
        do {
            word = at >= 0 ? states[at] : word_of(whole_sum, 0);
            unsigned flag = word >> 32;
            known = __ballot_sync(all_lanes, flag != 0);
            found = __ballot_sync(all_lanes, flag == whole_sum);
            needed = found ? (found & -found) * 2 - 1 : all_lanes; // lanes up to the first with a full sum
        } while ((known & needed) != needed);
        unsigned number = needed >> lane & 1 ? static_cast<unsigned>(word) : 0;
        for (int offset = 16; offset > 0; offset /= 2) number += __shfl_xor_sync(all_lanes, number, offset);
        sum += number;
        if (found) return sum;
    }
}

extern "C" __global__ void __launch_bounds__(threads)
compaction_ordered(const float* from, float* to, unsigned* places, unsigned long long* states, unsigned* ticket, int count,
                   float limit)
{
    __shared__ float collected[tile];
    __shared__ unsigned warp_sums[threads / 32];
    __shared__ unsigned place;
    __shared__ int drawn;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    // Tiles are claimed from a counter, not by block number, so all tiles before this one have been started.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int mine = drawn;
    int first = mine * tile + warp * vectors * 128 + lane * 4;

    float4 values[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        if (i + 3 < count) {
            values[v] = __ldcs(reinterpret_cast<const float4*>(from + i));
        } else { // elements past the end are not kept
            values[v].x = i < count ? from[i] : limit;
            values[v].y = i + 1 < count ? from[i + 1] : limit;
            values[v].z = i + 2 < count ? from[i + 2] : limit;
            values[v].w = limit;
        }
    }

    // Number of elements kept before each of the thread's vectors, within the warp.
    unsigned before[vectors];
    unsigned of_warp = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        unsigned own = (values[v].x < limit) + (values[v].y < limit) + (values[v].z < limit) + (values[v].w < limit);
        unsigned sum = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            unsigned left = __shfl_up_sync(all_lanes, sum, offset);
            if (lane >= offset) sum += left;
        }
        before[v] = of_warp + sum - own;
        of_warp += __shfl_sync(all_lanes, sum, 31);
    }
    if (lane == 0) warp_sums[warp] = of_warp;
    __syncthreads();

    unsigned of_earlier_warps = 0, of_block = 0;
    for (int w = 0; w < threads / 32; ++w) {
        if (w < warp) of_earlier_warps += warp_sums[w];
        of_block += warp_sums[w];
    }
    if (warp == 0) {
        volatile unsigned long long* states_now = states;
        if (lane == 0) states_now[mine] = word_of(mine == 0 ? whole_sum : own_sum, of_block);
        unsigned so_far = mine == 0 ? 0 : kept_before(states, mine, lane);
        if (lane == 0 && mine > 0) states_now[mine] = word_of(whole_sum, so_far + of_block);
        if (lane == 0) place = so_far;
        if (lane == 0 && mine == gridDim.x - 1) *places = so_far + of_block;
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        unsigned at = of_earlier_warps + before[v];
        if (values[v].x < limit) collected[at++] = values[v].x;
        if (values[v].y < limit) collected[at++] = values[v].y;
        if (values[v].z < limit) collected[at++] = values[v].z;
        if (values[v].w < limit) collected[at++] = values[v].w;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < of_block; i += threads) __stcs(to + place + i, collected[i]);
}
