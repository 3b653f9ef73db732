// Rotate: lane l receives from lane l + distance, and the last ones from the first: the instruction itself
// takes the number of the source lane modulo 32.
extern "C" __global__ void shuffle_rotate(const float* from, float* to, int count, int distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float value = i < count ? from[i] : 0.0f;
    value = __shfl_sync(0xffffffff, value, lane + distance);
    if (i < count) to[i] = value;
}
