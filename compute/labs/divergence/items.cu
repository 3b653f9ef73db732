// Items: each needs a different number of rounds, and a few need very many. A warp takes as long as its longest
// item. Sorting only changes which items are adjacent in memory, and thus share a warp.
extern "C" __global__ void divergence_items(const float* from, const int* rounds, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    int needed = rounds[i];
    for (int round = 0; round < needed; ++round) value = fmaf(0.02f, 1.0f - value, value);
    to[i] = value;
}
