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

// A plane that nothing has written moves on, and is used only once all planes have been read.
extern "C" __global__ void unset_but_unused(const float* in, float* out, int n)
{
    __shared__ float plane[3][64];
    int t = threadIdx.x;
    plane[2][t] = in[t];
    for (int i = 0; i < n; ++i) {
        plane[0][t] = plane[1][t];
        plane[1][t] = plane[2][t];
        plane[2][t] = in[64 * (i + 1) + t];
        if (i > 0) out[64 * i + t] = plane[0][t] + plane[2][t];
    }
}

extern "C" __global__ void unset_branch(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    if (tile[threadIdx.x] + 1 > 1) out[threadIdx.x] = 3;
}

extern "C" __global__ void unset_address(int* out)
{
    __shared__ int tile[64];
    if (threadIdx.x != 9) tile[threadIdx.x] = 1;
    __syncthreads();
    out[tile[threadIdx.x] & 31] = 3;
}

// All threads store one value; then some store another, all the same.
extern "C" __global__ void same_value(const int* in, int* out)
{
    __shared__ int done;
    done = 1;
    __syncthreads();
    if (in[threadIdx.x] > 50) done = 0;
    __syncthreads();
    out[threadIdx.x] = done;
}

extern "C" __global__ void other_values(int* out)
{
    __shared__ int last;
    last = threadIdx.x / 32;
    __syncthreads();
    out[threadIdx.x] = last;
}

// A flag in shared memory, behind a fence and without one.
extern "C" __global__ void flag_in_shared(int* out, int fenced)
{
    __shared__ int data[2];
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data[out[1]] = 42; // out[1] is 0, which the compiler does not know
        if (fenced) __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        out[0] = data[out[1]];
    }
}

// Waits by an atomic that changes nothing.
extern "C" __global__ void atomic_wait(int* flag, int* out)
{
    if (threadIdx.x % 32 != 0) return;
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {}
        out[0] = 5;
    } else {
        __threadfence();
        atomicExch(flag, 1);
    }
}

extern "C" __global__ void every_block_faults(int* a)
{
    a[threadIdx.x + 64 * blockIdx.x] = 7;
    if (blockIdx.x % 2 == 1) a[1 << 20] = 1;
}

// The address register changes from turn to turn, with nothing in between.
extern "C" __global__ void pairs(const int* in, int* out, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i + 1 < n; i += 32) sum += in[i] * 3 + in[i + 1];
    out[threadIdx.x] = sum;
}
