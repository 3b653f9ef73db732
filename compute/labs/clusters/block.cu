// Per block: a block counts in its shared memory, and adds all its counters to the global ones at the end.
extern "C" __global__ void clusters_block(const unsigned short* samples, int n, unsigned* counts, int bins)
{
    extern __shared__ unsigned mine[];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[samples[i]], 1);

    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], mine[bin]);
}
