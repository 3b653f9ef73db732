// pinned_too_early.cu: fault: host_race at line 18
#include <cstdio>
__global__ void fill(int* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i * i;
}
int main()
{
    const size_t bytes = 1000 * sizeof(int);
    int *values, *pinned;
    cudaStream_t work;
    cudaStreamCreate(&work);
    cudaMalloc(&values, bytes);
    cudaMallocHost(&pinned, bytes);
    fill<<<4, 256, 0, work>>>(values, 1000);
    cudaMemcpyAsync(pinned, values, bytes, cudaMemcpyDeviceToHost, work);
    printf("%d\n", pinned[999]);
    cudaFree(values);
    cudaFreeHost(pinned);
    cudaStreamDestroy(work);
}
