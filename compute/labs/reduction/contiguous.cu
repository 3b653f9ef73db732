// Contiguous: the upper half is added to the lower half, repeatedly. The active threads are neighbours, and so are
// the words they access: no divergence until one warp is left, and no bank conflicts.
constexpr int block = 256;

extern "C" __global__ void reduction_contiguous(const float* from, float* sums, int count)
{
    __shared__ float part[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    part[t] = i < count ? from[i] : 0.0f;
    __syncthreads();

    for (int half = block / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
