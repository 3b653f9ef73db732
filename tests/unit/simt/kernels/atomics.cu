// Atomic updates of global and shared memory.
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] % 16], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned* in, unsigned* bins, int n)
{
    __shared__ unsigned mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[in[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

extern "C" __global__ void places(int* next, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[atomicAdd(next, 1)] = i;
}

extern "C" __global__ void float_sum(const float* in, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

extern "C" __global__ void all_kinds(int* s, unsigned* u, unsigned long long* w, double* d)
{
    int t = threadIdx.x;
    atomicMin(&s[0], -t);
    atomicMax(&s[1], t * 3);
    atomicSub(&s[2], t);
    atomicAnd(&u[0], ~(1u << t));
    atomicOr(&u[1], 1u << (t & 15));
    atomicXor(&u[2], t);
    u[8 + t] = atomicInc(&u[3], 9u);
    u[40 + t] = atomicDec(&u[4], 4u);
    u[72 + t] = atomicExch(&u[5], t);
    atomicCAS(&u[6], t, t + 1u);
    atomicAdd(&w[0], 1ull << 33);
    atomicMax(&w[1], (unsigned long long)t << 40);
    atomicAdd(d, 0.25);
}
