// Warp aligned: even warps take one path, odd warps the other. As many threads take each path as before, but
// no warp diverges.
extern "C" __global__ void divergence_warp_aligned(const float* from, float* to, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    if (threadIdx.x / 32 % 2 == 0) {
        for (int round = 0; round < work; ++round) value = fmaf(0.02f, 1.0f - value, value); // grows towards 1
    } else {
        for (int round = 0; round < work; ++round) value = fmaf(-0.02f, value * value, value); // falls towards 0
    }
    to[i] = value;
}
