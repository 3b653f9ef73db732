// Warp sums with shuffles, without shared memory.
__global__ void warpSums(const float* data, float* sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? data[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(sums, v);
}
