// Block with halo: the block is as large as the tile and its halo together, so that every thread loads one pixel
// without a loop. Threads of the halo then have nothing to compute.
constexpr int tile_width = 32; // with the halo
constexpr int tile_height = 16;
constexpr int max_side = 15; // of the filter
__constant__ float weights[max_side * max_side];

__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_block_halo(const float* from, float* to,
                                                       int width, int height, int radius)
{
    __shared__ float tile[tile_height][tile_width];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * (tile_width - 2 * radius) + tx - radius;
    int y = blockIdx.y * (tile_height - 2 * radius) + ty - radius;
    tile[ty][tx] = from[clamped(y, height) * width + clamped(x, width)];

    __syncthreads();
    bool in_halo = tx < radius || tx >= tile_width - radius ||
                   ty < radius || ty >= tile_height - radius;
    if (in_halo || x >= width || y >= height) return;

    float sum = 0;
    int tap = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
            sum += weights[tap++] * tile[ty + dy][tx + dx];
    to[y * width + x] = sum;
}
