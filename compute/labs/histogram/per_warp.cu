// Per warp: each warp of the block has a private histogram, as long as they fit into shared memory. Warps
// no longer collide; only lanes of one warp with the same bin still do.
constexpr int words = 8192;

template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int bins, int shift)
{
    __shared__ unsigned copies[words];
    int warps = blockDim.x / 32;
    int copy_count = min(warps, words / bins);
    for (int i = threadIdx.x; i < copy_count * bins; i += blockDim.x) copies[i] = 0;
    __syncthreads();

    unsigned* mine = copies + threadIdx.x / 32 % copy_count * bins;
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&mine[samples[i] >> shift], 1);

    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        for (int copy = 0; copy < copy_count; ++copy) sum += copies[copy * bins + bin];
        atomicAdd(&counts[bin], sum);
    }
}

extern "C" __global__ void histogram_per_warp(const unsigned char* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}

extern "C" __global__ void histogram_per_warp_wide(const unsigned* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}
