// Look-back: one launch. A block publishes its own sum as soon as it is known, then reads the blocks before it: 32 at
// a time, back to the nearest one whose full running sum is known. Every element is read once and written once.
constexpr int threads = 512;
constexpr int vectors = 8; // of four elements, per thread
constexpr int tile = threads * vectors * 4;
constexpr unsigned all_lanes = 0xffffffff;
constexpr unsigned own_sum = 1, whole_sum = 2;

// A tile's state is a single 64-bit word, so that flag and sum are always seen together.
// Flags: 0 nothing known yet, 1 the tile's own sum, 2 the sum of all tiles up to this one.
__device__ unsigned long long word_of(unsigned flag, float sum)
{
    return static_cast<unsigned long long>(flag) << 32 | __float_as_uint(sum);
}

__device__ float running_sum(float value, int lane)
{
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(all_lanes, value, offset);
        if (lane >= offset) value += before;
    }
    return value;
}

__device__ float sum_of_lanes(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(all_lanes, value, offset);
    return value;
}

// Called by all lanes of a warp: the sum of everything before tile `mine`.
__device__ float sum_before(const volatile unsigned long long* states, int mine, int lane)
{
    float sum = 0;
    for (int at = mine - 1 - lane;; at -= 32) {
        unsigned long long word;
        unsigned found, known, needed;
        do {
            word = at >= 0 ? states[at] : word_of(whole_sum, 0);
            unsigned flag = word >> 32;
            known = __ballot_sync(all_lanes, flag != 0);
            found = __ballot_sync(all_lanes, flag == whole_sum);
            needed = found ? (found & -found) * 2 - 1 : all_lanes; // lanes up to the first full sum
        } while ((known & needed) != needed);
        sum += sum_of_lanes(needed >> lane & 1 ? __uint_as_float(static_cast<unsigned>(word)) : 0.0f);
        if (found) return sum;
    }
}

extern "C" __global__ void __launch_bounds__(threads)
scan_look_back(const float* from, float* to, unsigned long long* states, unsigned* ticket, int count)
{
    __shared__ float warp_sums[threads / 32];
    __shared__ float before;
    __shared__ int drawn;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    // Tiles are claimed from a counter, not by block number, so all tiles before this one have been started.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int mine = drawn;
    int first = mine * tile + warp * vectors * 128 + lane * 4;
    bool inside = mine * tile + tile <= count;

    float4 values[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        if (inside) {
            values[v] = __ldcs(reinterpret_cast<const float4*>(from + i));
        } else {
            values[v].x = i < count ? from[i] : 0.0f;
            values[v].y = i + 1 < count ? from[i + 1] : 0.0f;
            values[v].z = i + 2 < count ? from[i + 2] : 0.0f;
            values[v].w = i + 3 < count ? from[i + 3] : 0.0f;
        }
    }

    // Running sums within each float4, the sum before it in the warp's part, and the part's sum.
    float ahead[vectors];
    float of_warp = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        values[v].y += values[v].x, values[v].z += values[v].y, values[v].w += values[v].z;
        float sum = running_sum(values[v].w, lane);
        float left = __shfl_up_sync(all_lanes, sum, 1);
        ahead[v] = of_warp + (lane == 0 ? 0.0f : left);
        of_warp += __shfl_sync(all_lanes, sum, 31);
    }
    if (lane == 0) warp_sums[warp] = of_warp;
    __syncthreads();

    if (warp == 0) {
        float sum = running_sum(lane < threads / 32 ? warp_sums[lane] : 0.0f, lane);
        float tile_sum = __shfl_sync(all_lanes, sum, threads / 32 - 1);
        float left = __shfl_up_sync(all_lanes, sum, 1);
        if (lane < threads / 32) warp_sums[lane] = lane == 0 ? 0.0f : left;

        volatile unsigned long long* states_now = states;
        if (lane == 0) states_now[mine] = word_of(mine == 0 ? whole_sum : own_sum, tile_sum);
        float sum_so_far = mine == 0 ? 0.0f : sum_before(states, mine, lane);
        if (lane == 0 && mine > 0) states_now[mine] = word_of(whole_sum, sum_so_far + tile_sum);
        if (lane == 0) before = sum_so_far;
    }
    __syncthreads();

    float add = before + warp_sums[warp];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        float all = add + ahead[v];
        float4 sum = make_float4(values[v].x + all, values[v].y + all, values[v].z + all, values[v].w + all);
        if (inside) {
            __stcs(reinterpret_cast<float4*>(to + i), sum);
        } else {
            if (i < count) to[i] = sum.x;
            if (i + 1 < count) to[i + 1] = sum.y;
            if (i + 2 < count) to[i + 2] = sum.z;
            if (i + 3 < count) to[i + 3] = sum.w;
        }
    }
}
