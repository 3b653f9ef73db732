// A flag in shared memory, stored with release and read with acquire.
#include <cuda/atomic>

__global__ void acquire(int* out)
{
    __shared__ int flag, data;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0) {
        data = 42;
        ready.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x == 32) {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        out[0] = data;
    }
}
