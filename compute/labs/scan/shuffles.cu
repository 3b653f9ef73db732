// Shuffles: Hillis–Steele among the lanes of a warp, in registers; then again over the sums of the warps.
// Two barriers instead of nine.
constexpr int block = 256;
constexpr unsigned all_lanes = 0xffffffff;

__device__ float running_sum(float value, int lane)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(all_lanes, value, offset);
        if (lane >= offset) value += before;
    }
    return value;
}

extern "C" __global__ void scan_shuffles(const float* from, float* to, float* sums, int count)
{
    __shared__ float warp_sums[block / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int i = blockIdx.x * block + threadIdx.x;

    float sum = running_sum(i < count ? from[i] : 0.0f, lane);
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        float of_warp = running_sum(lane < block / 32 ? warp_sums[lane] : 0.0f, lane);
        if (lane < block / 32) warp_sums[lane] = of_warp;
    }
    __syncthreads();
    if (warp > 0) sum += warp_sums[warp - 1];

    if (i < count) to[i] = sum;
    if (threadIdx.x == block - 1) sums[blockIdx.x] = sum;
}
