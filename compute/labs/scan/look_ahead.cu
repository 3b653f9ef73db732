// Look-ahead: a block first adds up a tile far ahead and publishes its sum, then scans a tile whose predecessors
// were all added up long ago: no block waits. The tile is read twice, the second time from the L2 cache,
// which still holds it.
constexpr int threads = 512;
constexpr int vectors = 5; // of four elements, per thread
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

// Called by all lanes of a warp: the sum of everything before tile `mine`, and the tile's own sum in `tile_sum`.
__device__ float sum_before(const volatile unsigned long long* states, int mine, int lane, float& tile_sum)
{
    float sum = 0;
    for (int at = mine - lane;; at -= 32) {
        unsigned long long word;
        unsigned found, known, needed;
        do {
            word = at >= 0 ? states[at] : word_of(whole_sum, 0);
            unsigned flag = word >> 32;
            known = __ballot_sync(all_lanes, flag != 0);
            found = __ballot_sync(all_lanes, flag == whole_sum);
            needed = found ? (found & -found) * 2 - 1 : all_lanes; // lanes up to the first full sum
        } while ((known & needed) != needed);
        float value = needed >> lane & 1 ? __uint_as_float(static_cast<unsigned>(word)) : 0.0f;
        if (at + lane == mine) { // first iteration: lane 0 holds the tile's own sum
            tile_sum = __shfl_sync(all_lanes, value, 0);
            if (lane == 0) value = 0;
        }
        sum += sum_of_lanes(value);
        if (found) return sum;
    }
}

template <bool again>
__device__ void fetch(float4 (&values)[vectors], const float* from, int of, int place, int count)
{
    int first = of * tile + place;
    if (of * tile + tile <= count) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
            const float4* vector = reinterpret_cast<const float4*>(from + first + v * 128);
            values[v] = again ? __ldcs(vector) : __ldcg(vector); // the second read is the last
        }
        return;
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        values[v].x = i < count ? from[i] : 0.0f;
        values[v].y = i + 1 < count ? from[i + 1] : 0.0f;
        values[v].z = i + 2 < count ? from[i + 2] : 0.0f;
        values[v].w = i + 3 < count ? from[i + 3] : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(threads)
scan_look_ahead(const float* from, float* to, unsigned long long* states, unsigned* ticket, int count,
                int lead)
{
    __shared__ float warp_sums[threads / 32];
    __shared__ float parts_ahead[threads / 32];
    __shared__ float before;
    __shared__ int drawn;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int place = warp * vectors * 128 + lane * 4;
    int tiles = (count + tile - 1) / tile;

    // Tiles are claimed from a counter, not by block number, so all tiles before this one have been started.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int ahead = drawn;        // this tile is added up …
    int mine = drawn - lead;  // … and this one is scanned

    float4 coming[vectors], values[vectors];
    if (ahead < tiles) fetch<false>(coming, from, ahead, place, count);
    if (mine >= 0) fetch<true>(values, from, mine, place, count);

    volatile unsigned long long* states_now = states;
    if (warp == 0 && mine >= 0) { // while both are in flight
        float tile_sum = 0;
        float sum_so_far = sum_before(states, mine, lane, tile_sum);
        if (lane == 0) states_now[mine] = word_of(whole_sum, sum_so_far + tile_sum);
        if (lane == 0) before = sum_so_far;
    }
    if (ahead < tiles) {
        float sum = 0;
#pragma unroll
        for (int v = 0; v < vectors; ++v) sum += (coming[v].x + coming[v].y) + (coming[v].z + coming[v].w);
        sum = sum_of_lanes(sum);
        if (lane == 0) parts_ahead[warp] = sum;
    }

    // Running sums within each float4, the sum before it in the warp's part, and the part's sum.
    float in_warp[vectors];
    float of_warp = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        values[v].y += values[v].x, values[v].z += values[v].y, values[v].w += values[v].z;
        float sum = running_sum(values[v].w, lane);
        float left = __shfl_up_sync(all_lanes, sum, 1);
        in_warp[v] = of_warp + (lane == 0 ? 0.0f : left);
        of_warp += __shfl_sync(all_lanes, sum, 31);
    }
    if (lane == 0) warp_sums[warp] = of_warp;
    __syncthreads();
    if (warp == 0 && ahead < tiles) {
        float sum = sum_of_lanes(lane < threads / 32 ? parts_ahead[lane] : 0.0f);
        if (lane == 0) states_now[ahead] = word_of(own_sum, sum);
    }
    if (mine < 0) return;

    float add = before;
    for (int w = 0; w < warp; ++w) add += warp_sums[w];
    int first = mine * tile + place;
    bool inside = mine * tile + tile <= count;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        float all = add + in_warp[v];
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
