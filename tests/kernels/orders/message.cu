// Block 0 writes data, raises a flag and waits until block 1 has taken the data. Without fences the flag may be seen
// before the data.
extern "C" __global__ void message(volatile int* data, volatile int* ready, volatile int* taken, int* out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) *ready = 1;
        while (*taken == 0)
            ;
    } else {
        while (*ready == 0)
            ;
        out[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) *taken = 1;
    }
}

extern "C" __global__ void message_fenced(volatile int* data, volatile int* ready, volatile int* taken, int* out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *ready = 1;
        while (*taken == 0)
            ;
    } else {
        while (*ready == 0)
            ;
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) *taken = 1;
    }
}
