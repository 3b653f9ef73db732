// Random: the order is a permutation. Each lane fetches a sector of 32 bytes for the 4 that it needs; the lanes
// that need the other 28 are too far away to share the fetch.
extern "C" __global__ void coalescing_random(const float* from, const int* order, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[order[i]];
}
