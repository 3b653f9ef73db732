// warp_sum.cu: fault: race at line 9
#include <cstdio>
__global__ void warp_sum(const float* in, float* out)
{
    __shared__ float sums[32];
    int lane = threadIdx.x;
    sums[lane] = in[lane];
    for (int offset = 16; offset > 0; offset /= 2)
        if (lane < offset) sums[lane] += sums[lane + offset];
    if (lane == 0) *out = sums[0];
}
int main()
{
    float host[32], *in, *out, sum;
    for (float& value : host) value = 1;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    warp_sum<<<1, 32>>>(in, out);
    cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.0f\n", sum);
    cudaFree(in);
    cudaFree(out);
}
