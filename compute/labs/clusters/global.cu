// Global: each sample is an atomic addition to a counter in global memory.
extern "C" __global__ void clusters_global(const unsigned short* samples, int n, unsigned* counts, int bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[samples[i]], 1);
}
