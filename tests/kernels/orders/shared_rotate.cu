// Passes values to the next lane through shared memory. A warp's lanes need not be in step.
extern "C" __global__ void shared_rotate(int* values)
{
    __shared__ volatile int shared[32];
    shared[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = shared[(threadIdx.x + 1) % 32];
}

extern "C" __global__ void shared_rotate_synced(int* values)
{
    __shared__ volatile int shared[32];
    shared[threadIdx.x] = values[threadIdx.x];
    __syncwarp();
    values[threadIdx.x] = shared[(threadIdx.x + 1) % 32];
}
