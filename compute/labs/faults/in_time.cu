// The same two kernels, with the first one within its bounds. To find such a mistake, follow every launch with
// cudaGetLastError() and cudaDeviceSynchronize(): then it is reported at the launch that caused it.
extern "C" __global__ void faults_shift(const float* from, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[max(i - 1, 0)];
}

extern "C" __global__ void faults_negative(float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 1 - to[i];
}
