// symbol_overrun.cu: fault: out_of_bounds at line 20
#include <cstdio>
__constant__ float weights[8];
__global__ void filter(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 8 > n) return;
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
}
int main()
{
    float host[256], ninths[9], *in, *out;
    for (float& value : host) value = 1;
    for (float& weight : ninths) weight = 1.0f / 9;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, ninths, sizeof(ninths));
    filter<<<1, 256>>>(in, out, 256);
    cudaMemcpy(host, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
