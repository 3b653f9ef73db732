// Shared: each block counts into a private histogram in shared memory and adds it to the common one
// at the end. Threads contend only within their block, in a memory that answers fast.
constexpr int max_bins = 4096;

template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int bins, int shift)
{
    __shared__ unsigned mine[max_bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&mine[samples[i] >> shift], 1);

    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], mine[bin]);
}

extern "C" __global__ void histogram_shared(const unsigned char* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}

extern "C" __global__ void histogram_shared_wide(const unsigned* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}
