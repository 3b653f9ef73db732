// deep_block.cu: fault: race at line 7
#include <cstdio>
__global__ void row_sums(const float* matrix, float* sums, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int column = 0; column < n; ++column)
        sums[row] += matrix[row * n + column];
}
int main()
{
    const int n = 64;
    static float host[n * n];
    float *matrix, *sums;
    for (float& value : host) value = 1;
    cudaMalloc(&matrix, sizeof(host));
    cudaMalloc(&sums, n * sizeof(float));
    cudaMemcpy(matrix, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, n * sizeof(float));
    row_sums<<<n / 32, dim3(32, 8)>>>(matrix, sums, n);
    cudaMemcpy(host, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.0f\n", host[5]);
    cudaFree(matrix);
    cudaFree(sums);
}
