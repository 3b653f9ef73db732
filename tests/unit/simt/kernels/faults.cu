// Kernels that are wrong, each in its own way.
extern "C" __global__ void past_the_end(float* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = n;
}

extern "C" __global__ void before_the_start(const int* a, int* out)
{
    out[threadIdx.x] = a[(int)threadIdx.x - 2];
}

extern "C" __global__ void null_pointer(int* a) { a[threadIdx.x] = 1; }

extern "C" __global__ void misaligned(const char* a, int* out)
{
    out[threadIdx.x] = *reinterpret_cast<const int*>(a + threadIdx.x * 4 + (threadIdx.x == 5 ? 1 : 0));
}

extern "C" __global__ void shared_overrun(int* out)
{
    __shared__ int tile[32];
    tile[threadIdx.x + (out[0] == 0 ? 1 : 0)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void missed_barrier(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) asm volatile("barrier.sync 1;" ::: "memory");
    else asm volatile("barrier.sync 2;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void half_warp_barrier(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void barrier_by_halves(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) asm volatile("barrier.sync 1;" ::: "memory");
    else asm volatile("barrier.sync 1;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void aligned_barrier_by_halves(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) asm volatile("barrier.sync.aligned 1;" ::: "memory");
    else asm volatile("barrier.sync.aligned 1;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void unset_shared(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void unset_global(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

extern "C" __global__ void race(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void block_faults(int* a)
{
    if (blockIdx.x >= 3) a[1 << 20] = 1;
}
