// The first block to come fills a table, the others use it, perhaps before it is full.
extern "C" __global__ void first_use(volatile int* table, int* started, int* out)
{
    __shared__ bool first;
    if (threadIdx.x == 0) first = atomicExch(started, 1) == 0;
    __syncthreads();
    if (first) table[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x];
}

extern "C" __global__ void own_table(int* out)
{
    __shared__ int table[64];
    table[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[63 - threadIdx.x];
}
