// One chunk of the picture: every number moves a little closer to 1, repeatedly. The rounds make the kernel
// as long as you like; the copies before and after it stay the same.
extern "C" __global__ void streams_brighten(const float* from, float* to, int n, int rounds, float keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = from[i];
    for (int round = 0; round < rounds; ++round) x = keep * x + (1 - keep);
    to[i] = x;
}
