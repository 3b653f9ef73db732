// Naive: one thread per cell, and every neighbour straight from global memory. Five loads per store;
// thanks to the caches it isn't five times slower than a copy.
extern "C" __global__ void heat_naive(const float* now, float* next,
                                      int width, int height, float k, bool insulated)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    // An insulated edge lets no heat through: the temperature outside equals that of the edge.
    int i = y * width + x;
    int left = x > 0 ? i - 1 : i;
    int right = x < width - 1 ? i + 1 : i;
    int below = y > 0 ? i - width : i;
    int above = y < height - 1 ? i + width : i;

    float here = now[i];
    float around = (now[left] + now[right]) + (now[below] + now[above]);
    float later = fmaf(k, fmaf(-4.0f, here, around), here);

    // A fixed edge keeps its temperature.
    bool rim = left == i || right == i || below == i || above == i;
    next[i] = rim && !insulated ? here : later;
}
