// Blocks add to a total that they load, increase and store.
extern "C" __global__ void lost_update(const int* values, volatile int* total)
{
    int sum = __reduce_add_sync(0xffffffff, values[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) *total = *total + sum;
}

extern "C" __global__ void atomic_update(const int* values, int* total)
{
    int sum = __reduce_add_sync(0xffffffff, values[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
