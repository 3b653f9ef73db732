// Last warp: once 32 sums are left they fit into one warp, and its lanes exchange registers: five
// shuffles instead of five rounds through shared memory, and no barrier.
constexpr int block = 256;
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void reduction_last_warp(const float* from, float* sums, int count)
{
    __shared__ float part[block];
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * block + t;
    float sum = i < count ? from[i] : 0.0f;
    if (i + block < count) sum += from[i + block];
    part[t] = sum;
    __syncthreads();

    for (int half = block / 2; half >= 32; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t < 32) {
        sum = part[t];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}
