// Partitioned: every thread counts its own section of the input. What is tidy on a CPU is the worst case
// here: at any moment the 32 lanes of a warp read from 32 distant places.
template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int shift)
{
    int threads = gridDim.x * blockDim.x;
    int share = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
    for (int i = first; i < min(first + share, n); ++i) atomicAdd(&counts[samples[i] >> shift], 1);
}

extern "C" __global__ void histogram_partitioned(const unsigned char* samples, int n, unsigned* counts, int shift)
{
    count(samples, n, counts, shift);
}

extern "C" __global__ void histogram_partitioned_wide(const unsigned* samples, int n, unsigned* counts, int shift)
{
    count(samples, n, counts, shift);
}
