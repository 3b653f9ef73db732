// Items: each needs a number of rounds of its own, a few need very many. A warp takes as long as its longest
// item. Which items lie side by side in memory, and so share a warp, is all that sorting changes.
extern "C" __global__ void divergence_items(const float* from, const int* rounds, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    int needed = rounds[i];
    for (int round = 0; round < needed; ++round) value = fmaf(0.02f, 1.0f - value, value);
    to[i] = value;
}
