// unset_tail.cu: fault: undefined_result at line 13
#include <cstdio>
__global__ void block_sum(const float* in, float* out)
{
    __shared__ float partial[256];
    int i = threadIdx.x;
    partial[i] = in[blockIdx.x * 256 + i];
    __syncthreads();
    for (int offset = 128; offset > 0; offset /= 2) {
        if (i < offset) partial[i] += partial[i + offset];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = partial[0];
}
int main()
{
    float *in, *sums, host[1024], result;
    for (float& value : host) value = 1;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&sums, 256 * sizeof(float));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    block_sum<<<4, 256>>>(in, sums);
    block_sum<<<1, 256>>>(sums, sums);
    cudaMemcpy(&result, sums, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.0f\n", result);
    cudaFree(in);
    cudaFree(sums);
}
