// in_place_scan.cu: fault: race at line 7
#include <cstdio>
__global__ void inclusive_scan(float* values, int n)
{
    int i = threadIdx.x;
    for (int offset = 1; offset < n; offset *= 2) {
        if (i >= offset) values[i] += values[i - offset];
        __syncthreads();
    }
}
int main()
{
    float host[256], *values;
    for (float& value : host) value = 1;
    cudaMalloc(&values, sizeof(host));
    cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
    inclusive_scan<<<1, 256>>>(values, 256);
    cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%.0f\n", host[255]);
    cudaFree(values);
}
