// managed_too_early.cu: fault: host_race at line 13
#include <cstdio>
__global__ void fill(int* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i * i;
}
int main()
{
    int* values;
    cudaMallocManaged(&values, 1000 * sizeof(int));
    fill<<<4, 256>>>(values, 1000);
    printf("%d\n", values[999]);
    cudaFree(values);
}
