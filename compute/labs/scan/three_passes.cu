// Sums first: the first launch reads the tiles and writes only their sums, the second (sums.cu) scans the sums, and the
// third scans the tiles, starting from the sum before each. Every element is read twice and written once.
constexpr int block = 256;
constexpr int vectors = 4; // of four elements, per thread
constexpr int tile = block * vectors * 4;
constexpr unsigned all_lanes = 0xffffffff;

__device__ float4 vector_at(const float* from, int i, int count)
{
    if (i + 3 < count) return *reinterpret_cast<const float4*>(from + i);
    float4 some = {}; // elements past the end are zero
    if (i < count) some.x = from[i];
    if (i + 1 < count) some.y = from[i + 1];
    if (i + 2 < count) some.z = from[i + 2];
    return some;
}

__device__ float running_sum(float value, int lane)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(all_lanes, value, offset);
        if (lane >= offset) value += before;
    }
    return value;
}

// Sum of the warps before this one, and of all warps in `whole`.
__device__ float of_earlier_warps(float of_warp, int lane, int warp, float& whole)
{
    __shared__ float warp_sums[block / 32];
    if (lane == 31) warp_sums[warp] = of_warp;
    __syncthreads();
    float before = 0;
    whole = 0;
    for (int w = 0; w < block / 32; ++w) {
        if (w == warp) before = whole;
        whole += warp_sums[w];
    }
    return before;
}

extern "C" __global__ void scan_sums_of_tiles(const float* from, float* sums, int count)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first = blockIdx.x * tile + threadIdx.x * 4;
    float sum = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        float4 next = vector_at(from, first + v * block * 4, count);
        sum += (next.x + next.y) + (next.z + next.w);
    }
    float whole;
    of_earlier_warps(running_sum(sum, lane), lane, warp, whole);
    if (threadIdx.x == 0) sums[blockIdx.x] = whole;
}

extern "C" __global__ void scan_tiles(const float* from, float* to, const float* sums, int count)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first = blockIdx.x * tile + warp * vectors * 128 + lane * 4; // one section of the tile per warp

    float4 values[vectors];
    float before[vectors]; // sum before each vector, in the warp's section
    float of_warp = 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        values[v] = vector_at(from, first + v * 128, count);
        values[v].y += values[v].x, values[v].z += values[v].y, values[v].w += values[v].z;
        float sum = running_sum(values[v].w, lane);
        before[v] = of_warp + sum - values[v].w;
        of_warp += __shfl_sync(all_lanes, sum, 31);
    }
    float whole;
    float add = of_earlier_warps(of_warp, lane, warp, whole);
    if (blockIdx.x > 0) add += sums[blockIdx.x - 1];

#pragma unroll
    for (int v = 0; v < vectors; ++v) {
        int i = first + v * 128;
        float all = add + before[v];
        float4 sum = make_float4(values[v].x + all, values[v].y + all, values[v].z + all, values[v].w + all);
        if (i + 3 < count) {
            *reinterpret_cast<float4*>(to + i) = sum;
        } else {
            if (i < count) to[i] = sum.x;
            if (i + 1 < count) to[i + 1] = sum.y;
            if (i + 2 < count) to[i + 2] = sum.z;
        }
    }
}
