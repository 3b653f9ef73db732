// Exited threads do not take part in __syncthreads().
__global__ void early_exit(const float* from, float* to, int count)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    tile[threadIdx.x] = from[i];
    __syncthreads();
    to[i] = tile[threadIdx.x ^ 1];
}
