// A dot product: a loop over the grid, a tree in the block, an atomic at the end.
__global__ void dotProduct(const float* a, const float* b, float* result, int n)
{
    __shared__ float partial[256];
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mine += a[i] * b[i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, partial[0]);
}
