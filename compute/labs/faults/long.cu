// A long-running kernel. The launch returns as soon as the kernel is queued.
extern "C" __global__ void faults_long(const float* from, float* to, int n, int rounds, float keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = from[i];
    for (int round = 0; round < rounds; ++round) x = keep * x + (1 - keep);
    to[i] = x;
}
