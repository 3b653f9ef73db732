// rounded_down_grid.cu: warning: unwritten_copy at line 17
#include <cstdio>
__global__ void square(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
int main()
{
    const int n = 1000;
    float host[n], *x, *y;
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&y, sizeof(host));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    square<<<n / 256, 256>>>(x, y, n);
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%.0f\n", host[999]);
    cudaFree(x);
    cudaFree(y);
}
