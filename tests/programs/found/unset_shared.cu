// unset_shared.cu: fault: uninitialised at line 7
#include <cstdio>
__global__ void histogram(const unsigned char* pixels, int* bins, int n)
{
    __shared__ int local[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[pixels[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
int main()
{
    const int n = 4096;
    unsigned char host[n], *pixels;
    int result[256], *bins;
    for (int i = 0; i < n; ++i) host[i] = i * 7;
    cudaMalloc(&pixels, n);
    cudaMalloc(&bins, sizeof(result));
    cudaMemcpy(pixels, host, n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof(result));
    histogram<<<n / 256, 256>>>(pixels, bins, n);
    cudaMemcpy(result, bins, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%d\n", result[5]);
    cudaFree(pixels);
    cudaFree(bins);
}
