// Strided: the active threads are neighbours, so whole warps retire. But thread t works on element 2 * offset * t:
// the lanes of a warp are 2, 4, 8, … words apart and hit the same banks.
constexpr int block = 256;

extern "C" __global__ void reduction_strided(const float* from, float* sums, int count)
{
    __shared__ float part[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    part[t] = i < count ? from[i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < block; offset *= 2) {
        int at = 2 * offset * t;
        if (at < block) part[at] += part[at + offset];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
