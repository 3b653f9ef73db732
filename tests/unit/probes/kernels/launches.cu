// Kernels that launch kernels: wider than themselves, recursively, in sequence and interleaved.

extern "C" __global__ void launched(unsigned* out, const unsigned* in, int n, int at)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0) out[(at + i) % n] += in[i % n] + 1;
}

extern "C" __global__ void launches_wide(unsigned* out, const unsigned* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[n + i % n] = in[i % n];
    if (i % 40 == 0) launched<<<3, 50 + i % 7>>>(out, in, n, 5 * i);
}

__device__ int next_depth(int depth)
{
    return depth - 1;
}

extern "C" __global__ void branch_of(unsigned* out, const unsigned* in, int n, int depth)
{
    atomicAdd(&out[2 * n + depth], in[threadIdx.x] + 1);
    if (threadIdx.x < 2 && depth > 0) branch_of<<<2, 33, 0, cudaStreamFireAndForget>>>(out, in, n, next_depth(depth));
}

extern "C" __global__ void launches_tree(unsigned* out, const unsigned* in, int n)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z != 0) return;
    branch_of<<<1, 40>>>(out, in, n, 2);
    launched<<<2, 64, 0, cudaStreamTailLaunch>>>(out, in, n, 7);
}
