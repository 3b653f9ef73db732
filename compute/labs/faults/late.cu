// A mistake that is reported elsewhere: the first kernel writes one element too far. The launch returns before
// the kernel has even started, and returns "no error"; so does the next launch.
extern "C" __global__ void faults_shift(const float* from, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i + 1] = from[i];
}

// A GPU reports it at the first call that waits, after this innocent kernel: cudaMemcpy of the result fails.
extern "C" __global__ void faults_negative(float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 1 - to[i];
}
