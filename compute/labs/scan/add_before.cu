// The third of three launches: each block of the array adds the sum of all blocks before it.
extern "C" __global__ void scan_add_before(float* to, const float* sums, int count, int elements)
{
    int i = (blockIdx.x + 1) * elements + threadIdx.x; // the first block has none before it
    for (int e = threadIdx.x; e < elements && i < count; e += blockDim.x, i += blockDim.x) to[i] += sums[blockIdx.x];
}
