// Blocks count under a lock. Without fences the next owner of the lock may read the old count.
__device__ void lock(int* mutex)
{
    while (atomicCAS(mutex, 0, 1) != 0)
        ;
}

extern "C" __global__ void spin_lock(int* mutex, volatile int* count)
{
    if (threadIdx.x != 0) return;
    lock(mutex);
    *count = *count + 1;
    atomicExch(mutex, 0);
}

extern "C" __global__ void spin_lock_fenced(int* mutex, volatile int* count)
{
    if (threadIdx.x != 0) return;
    lock(mutex);
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(mutex, 0);
}
