// By block: each thread reads sixteen elements, the block collects those it keeps in shared memory and reserves all
// positions at once. One atomic for 4096 elements, and the result is written in full lines.
constexpr int threads = 256;
constexpr int vectors = 4; // of four elements, per thread
constexpr int tile = threads * vectors * 4;
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void __launch_bounds__(threads)
compaction_by_block(const float* from, float* to, unsigned* places, int count, float limit)
{
    __shared__ float collected[tile];
    __shared__ unsigned warp_sums[threads / 32];
    __shared__ unsigned place;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int first = blockIdx.x * tile + warp * vectors * 128 + lane * 4;

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
    if (threadIdx.x == 0) place = atomicAdd(places, of_block);
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
