// The second of three launches: one block turns the sums of all blocks into running sums, 1024 at a time.
constexpr int block = 1024;
constexpr unsigned all_lanes = 0xffffffff;

__device__ float running_sum(float value, int lane)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(all_lanes, value, offset);
        if (lane >= offset) value += before;
    }
    return value;
}

extern "C" __global__ void scan_sums(float* sums, int count)
{
    __shared__ float warp_sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float before = 0;
    for (int first = 0; first < count; first += block) {
        int i = first + threadIdx.x;
        float sum = running_sum(i < count ? sums[i] : 0.0f, lane);
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        if (warp == 0) warp_sums[lane] = running_sum(warp_sums[lane], lane);
        __syncthreads();
        if (warp > 0) sum += warp_sums[warp - 1];
        if (i < count) sums[i] = before + sum;
        before += warp_sums[31];
        __syncthreads();
    }
}
