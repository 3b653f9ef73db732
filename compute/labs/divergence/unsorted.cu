// Unsorted: each item needs a number of rounds of its own, a few need very many. Nearly every warp
// holds one of those, and 31 lanes wait for it.
extern "C" __global__ void divergence_unsorted(const float* from, const int* rounds, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    int needed = rounds[i];
    for (int round = 0; round < needed; ++round) value = fmaf(0.02f, 1.0f - value, value);
    to[i] = value;
}
