// Broadcast: every lane receives one lane's value. One instruction, no memory.
extern "C" __global__ void shuffle_broadcast(const float* from, float* to, int count, int source)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < count ? from[i] : 0.0f;
    value = __shfl_sync(0xffffffff, value, source);
    if (i < count) to[i] = value;
}
