// First add: half of the threads only loaded an element. Now every thread adds two elements while it loads, and
// half as many blocks are needed.
constexpr int block = 256;

extern "C" __global__ void reduction_first_add(const float* from, float* sums, int count)
{
    __shared__ float part[block];
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * block + t;
    float sum = i < count ? from[i] : 0.0f;
    if (i + block < count) sum += from[i + block];
    part[t] = sum;
    __syncthreads();

    for (int half = block / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
