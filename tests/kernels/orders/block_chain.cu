// A running sum over blocks: each block adds its own sum to that of the block before it, as if that had run already.
extern "C" __global__ void block_chain(const int* values, int* totals)
{
    if (threadIdx.x != 0) return;
    int sum = blockIdx.x > 0 ? totals[blockIdx.x - 1] : 0;
    for (int i = 0; i < 32; ++i) sum += values[blockIdx.x * 32 + i];
    totals[blockIdx.x] = sum;
}

// Each block adds up everything before it.
extern "C" __global__ void block_totals(const int* values, int* totals)
{
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int i = 0; i < (blockIdx.x + 1) * 32; ++i) sum += values[i];
    totals[blockIdx.x] = sum;
}
