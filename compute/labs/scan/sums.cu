// The second of three launches: one block turns the sums of all blocks into running sums, 1024 at a time.
constexpr int block = 1024;
constexpr unsigned all_lanes = 0xffffffff;

__device__ float running_sum(float value, int lane)
{
    for (int apart = 1; apart < 32; apart *= 2) {
        float before = __shfl_up_sync(all_lanes, value, apart);
        if (lane >= apart) value += before;
    }
    return value;
}

extern "C" __global__ void scan_sums(float* sums, int count)
{
    __shared__ float of_warps[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float before = 0;
    for (int first = 0; first < count; first += block) {
        int i = first + threadIdx.x;
        float sum = running_sum(i < count ? sums[i] : 0.0f, lane);
        if (lane == 31) of_warps[warp] = sum;
        __syncthreads();
        if (warp == 0) of_warps[lane] = running_sum(of_warps[lane], lane);
        __syncthreads();
        if (warp > 0) sum += of_warps[warp - 1];
        if (i < count) sums[i] = before + sum;
        before += of_warps[31];
        __syncthreads();
    }
}
