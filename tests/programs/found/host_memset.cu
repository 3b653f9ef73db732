// host_memset.cu: fault: copy_direction at line 15
#include <cstdio>
__global__ void count(const int* values, int* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i] % 16], 1);
}
int main()
{
    int values[256], bins[16], *d_values, *d_bins;
    for (int i = 0; i < 256; ++i) values[i] = i;
    cudaMalloc(&d_values, sizeof(values));
    cudaMalloc(&d_bins, sizeof(bins));
    cudaMemcpy(d_values, values, sizeof(values), cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof(bins));
    count<<<1, 256>>>(d_values, d_bins, 256);
    cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost);
    printf("%d\n", bins[5]);
    cudaFree(d_values);
    cudaFree(d_bins);
}
