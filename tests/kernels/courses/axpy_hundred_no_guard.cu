// y = a x + y for a hundred numbers, in blocks of 64.
#include <cstdio>

__global__ void axpy(int n, float a, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

int main()
{
    float *x, *y;
    cudaMallocManaged(&x, 100 * sizeof(float));
    cudaMallocManaged(&y, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) x[i] = i, y[i] = 1;
    axpy<<<(100 + 63) / 64, 64>>>(100, 2.0f, x, y);
    cudaDeviceSynchronize();
    printf("%f\n", y[99]);
}
