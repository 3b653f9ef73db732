// Interleaved: neighbouring threads take neighbouring samples, so a warp reads whole sectors. All
// threads of the device still contend for the same few bins in global memory.
template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int shift)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&counts[samples[i] >> shift], 1);
}

extern "C" __global__ void histogram_interleaved(const unsigned char* samples, int n, unsigned* counts, int shift)
{
    count(samples, n, counts, shift);
}

extern "C" __global__ void histogram_interleaved_wide(const unsigned* samples, int n, unsigned* counts, int shift)
{
    count(samples, n, counts, shift);
}
