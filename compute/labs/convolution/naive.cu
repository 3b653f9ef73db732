// Naive: for each tap of the filter a thread loads a weight and a pixel from global memory. All lanes load the same
// weight, yet that is a request of its own.
__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_naive(const float* from, const float* weights, float* to,
                                             int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float sum = 0;
    int tap = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        const float* row = from + clamped(y + dy, height) * width;
        for (int dx = -radius; dx <= radius; ++dx)
            sum += weights[tap++] * row[clamped(x + dx, width)];
    }
    to[y * width + x] = sum;
}
