// Blocks: each block sums its own elements, then adds the totals of the blocks before it.
extern "C" __global__ void sum_in_block(const unsigned* from, unsigned* to, unsigned* totals, int n)
{
    __shared__ unsigned sums[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    sums[threadIdx.x] = i < n ? from[i] : 0;
    __syncthreads();
    unsigned sum = 0;
    for (int before = 0; before <= threadIdx.x; ++before) sum += sums[before];
    if (i < n) to[i] = sum;
    if (threadIdx.x == 63) totals[blockIdx.x] = sum;
}

extern "C" __global__ void add_totals(unsigned* to, const unsigned* totals, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned before = 0;
    for (int block = 0; block < blockIdx.x; ++block) before += totals[block];
    if (i < n) to[i] += before;
}
