// Tile with halo: the block is as large as the tile. It loads the tile and the halo around it in steps of its own size;
// the last steps use few lanes. Then every thread computes one pixel, with every tap in shared memory.
constexpr int tile_width = 32;
constexpr int tile_height = 16;
constexpr int max_radius = 7;
constexpr int max_side = 2 * max_radius + 1; // of the filter
__constant__ float weights[max_side * max_side];

__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_tile_halo(const float* from, float* to,
                                                 int width, int height, int radius)
{
    __shared__ float tile[tile_height + 2 * max_radius][tile_width + 2 * max_radius];

    int left = blockIdx.x * tile_width - radius;
    int bottom = blockIdx.y * tile_height - radius;
    for (int ty = threadIdx.y; ty < tile_height + 2 * radius; ty += tile_height) {
        const float* row = from + clamped(bottom + ty, height) * width;
        for (int tx = threadIdx.x; tx < tile_width + 2 * radius; tx += tile_width)
            tile[ty][tx] = row[clamped(left + tx, width)];
    }

    __syncthreads(); // all threads, including those without a pixel
    int x = blockIdx.x * tile_width + threadIdx.x;
    int y = blockIdx.y * tile_height + threadIdx.y;
    if (x >= width || y >= height) return;

    float sum = 0;
    int tap = 0;
    for (int dy = 0; dy <= 2 * radius; ++dy)
        for (int dx = 0; dx <= 2 * radius; ++dx)
            sum += weights[tap++] * tile[threadIdx.y + dy][threadIdx.x + dx];
    to[y * width + x] = sum;
}
