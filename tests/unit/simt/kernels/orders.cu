// Kernels whose result depends on the order of threads, each beside one that enforces its order.

// --- The order changes the result ---

extern "C" __global__ void last_block(int* out)
{
    if (threadIdx.x == 0) out[0] = blockIdx.x;
}

extern "C" __global__ void last_warp(int* out)
{
    __shared__ int last;
    last = threadIdx.x / 32;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = last;
}

extern "C" __global__ void no_barrier(int* out)
{
    __shared__ int values[128];
    values[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = values[127 - threadIdx.x];
}

extern "C" __global__ void tickets(int* out, int* counter)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

extern "C" __global__ void active_group(int* out)
{
    const unsigned group = __activemask();
    if (threadIdx.x % 32 == __ffs(group) - 1) atomicAdd(out, 1);
}

extern "C" __global__ void volatile_sum(int* out)
{
    __shared__ volatile int sums[64];
    sums[threadIdx.x] = threadIdx.x + 1;
    sums[threadIdx.x + 32] = 0;
    for (int distance = 16; distance > 0; distance /= 2)
        sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + distance];
    if (threadIdx.x == 0) out[0] = sums[0];
}

extern "C" __global__ void float_sum(float* out)
{
    atomicAdd(out, 1.0f / (1 + blockIdx.x * blockDim.x + threadIdx.x));
}

// A flag without which the data may be read before it is there.
extern "C" __global__ void no_wait(int* data, int* flag, int* out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1;
        __threadfence();
        if (threadIdx.x == 0) *reinterpret_cast<volatile int*>(flag) = 1;
    } else if (*reinterpret_cast<volatile int*>(flag) != 0) {
        out[threadIdx.x] = data[threadIdx.x];
    }
}

// The last block to arrive adds up all stored sums, but nothing makes the others' sums visible to
// it.
extern "C" __global__ void no_fence(int* sums, unsigned* arrived, int* out)
{
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;
    if (atomicAdd(arrived, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += reinterpret_cast<volatile int*>(sums)[i];
        out[0] = sum;
    }
}

// --- The result is the same in every order ---

extern "C" __global__ void tree_sum(const int* in, int* out)
{
    __shared__ int sums[128];
    sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int distance = 64; distance > 0; distance /= 2) {
        if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}

extern "C" __global__ void warp_sum(const int* in, int* out)
{
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x % 3 == 0) sum *= 2;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = sum;
}

extern "C" __global__ void synced_sum(int* out)
{
    __shared__ int sums[64];
    sums[threadIdx.x] = threadIdx.x + 1;
    sums[threadIdx.x + 32] = 0;
    __syncwarp();
    for (int distance = 16; distance > 0; distance /= 2) {
        const int other = sums[threadIdx.x + distance];
        __syncwarp();
        sums[threadIdx.x] += other;
        __syncwarp();
    }
    if (threadIdx.x == 0) out[0] = sums[0];
}

// no_fence() with its fence.
extern "C" __global__ void fence(int* sums, unsigned* arrived, int* out)
{
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(arrived, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += reinterpret_cast<volatile int*>(sums)[i];
        out[0] = sum;
    }
}

// Each block waits for the one before it; tickets give blocks their places.
extern "C" __global__ void chain(int* sums, int* ticket)
{
    __shared__ int place;
    if (threadIdx.x == 0) place = atomicAdd(ticket, 1);
    __syncthreads();
    if (threadIdx.x != 0) return;
    int before = 0;
    if (place > 0)
        while ((before = reinterpret_cast<volatile int*>(sums)[place - 1]) == 0)
            ;
    reinterpret_cast<volatile int*>(sums)[place] = before + 1;
}

// Lanes of one warp wait for another lane of it.
extern "C" __global__ void lane_lock(int* lock, int* count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count = *reinterpret_cast<volatile int*>(count) + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
