// Constant filter: the weights are in constant memory, which answers a warp with one word at a time. A filter needs no
// more, since all lanes are at the same tap. Only pixels still come from global memory.
constexpr int max_side = 15; // of the filter
__constant__ float weights[max_side * max_side];

__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_constant(const float* from, float* to,
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
