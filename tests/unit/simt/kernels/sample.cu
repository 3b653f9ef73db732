// Kernels for sampled launches. Blocks whose number is `offset` modulo `every` make a mistake.
__device__ int block_number() { return blockIdx.y * gridDim.x + blockIdx.x; }
__device__ int thread_number() { return block_number() * blockDim.x + threadIdx.x; }

extern "C" __global__ void scale(int* data)
{
    data[thread_number()] = data[thread_number()] * 3 + 1;
}

extern "C" __global__ void add_up(const int* in, int* sums)
{
    atomicAdd(&sums[threadIdx.x % 32], in[thread_number()]);
}

extern "C" __global__ void reverse_tiles(const int* in, int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = in[thread_number()];
    __syncthreads();
    if (threadIdx.x % 3 != 0) out[thread_number()] = tile[63 - threadIdx.x];
    else out[thread_number()] = block_number();
}

extern "C" __global__ void race(int* out, int every, int offset)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (block_number() % every != offset) __syncthreads();
    out[thread_number()] = tile[threadIdx.x / 2];
}

extern "C" __global__ void read_unwritten(const int* never, int* out, int every, int offset)
{
    int value = 1;
    if (block_number() % every == offset)
        value = never[thread_number()];
    out[thread_number()] = value;
}

extern "C" __global__ void past_the_end(int* out, int n, int every, int offset)
{
    int at = thread_number();
    if (block_number() % every == offset) at += n;
    out[at] = 1;
}

extern "C" __global__ void fill_even(int* out)
{
    if (threadIdx.x % 2 == 0) out[thread_number()] = thread_number();
}

extern "C" __global__ void copy(const int* in, int* out)
{
    out[thread_number()] = in[thread_number()];
}

// The last block to arrive adds the sums of all.
extern "C" __global__ void last_adds(const int* in, int* sums, unsigned* arrived, int* total)
{
    if (threadIdx.x != 0) return;
    sums[block_number()] = in[block_number()];
    __threadfence();
    int blocks = gridDim.x * gridDim.y;
    if (atomicAdd(arrived, 1u) != blocks - 1) return;
    int all = 0;
    for (int i = 0; i < blocks; ++i) all += sums[i];
    *total = all;
}

extern "C" __global__ void divide(const int* in, int* out, int every, int offset, int zero)
{
    int by = block_number() % every == offset ? zero : 2;
    out[thread_number()] = in[thread_number()] / by;
}
