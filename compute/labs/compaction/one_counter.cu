// One counter: every thread that keeps its element takes a position from one counter in memory. Simple and correct, but
// all of them wait for the same address, and the order is up to the hardware.
extern "C" __global__ void compaction_one_counter(const float* from, float* to, unsigned* places, int count, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = from[i];
    if (value < limit) to[atomicAdd(places, 1)] = value;
}
