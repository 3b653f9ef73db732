// Sorted: the same items, handed out by the number of rounds that they need. Lanes of a warp end together;
// the long ones share a few warps. Loads and stores are scattered now, and it still pays.
extern "C" __global__ void divergence_sorted(const float* from, const int* rounds, const int* order, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int item = order[i];
    int needed = rounds[item];
    float value = from[item];
    for (int round = 0; round < needed; ++round) value = fmaf(0.02f, 1.0f - value, value);
    to[item] = value;
}
