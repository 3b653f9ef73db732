// cuda::barrier in shared memory (mbarrier): arrive early, wait late, twice.
#include <cuda/barrier>

__global__ void block_barrier(const int* from, int* to)
{
    __shared__ int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = from[i];
    barrier.arrive_and_wait();
    const int other = tile[blockDim.x - 1 - threadIdx.x];
    auto token = barrier.arrive();
    const int own = from[i] * 3;
    barrier.wait(std::move(token));
    tile[threadIdx.x] = own;
    barrier.arrive_and_wait();
    to[i] = other + tile[threadIdx.x ^ 1];
}
