// Through shared memory: the butterfly as it had to be written before shuffles existed. Each round is a store,
// a warp barrier, a load and another warp barrier.
extern "C" __global__ void shuffle_through_shared(const float* from, float* to, int count)
{
    __shared__ float values[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    float sum = i < count ? from[i] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
        values[t] = sum;
        __syncwarp();
        sum += values[t ^ offset];
        __syncwarp();
    }
    if (i < count) to[i] = sum;
}
