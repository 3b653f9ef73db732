// Interleaved: first every second thread adds its right neighbour, then every fourth, and so on. The active
// threads are spread over all warps, so for five rounds every warp stays busy, with fewer and fewer lanes.
constexpr int block = 256;

extern "C" __global__ void reduction_interleaved(const float* from, float* sums, int count)
{
    __shared__ float part[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    part[t] = i < count ? from[i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < block; offset *= 2) {
        if (t % (2 * offset) == 0) part[t] += part[t + offset];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
