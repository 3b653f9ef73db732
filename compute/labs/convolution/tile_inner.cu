// Inner tile: a block keeps only its own pixels in shared memory. Taps beyond the tile load from global memory: the
// cache has the pixel, because a neighbouring block loads it too. Each tap has to decide which memory to use.
constexpr int tile_width = 32;
constexpr int tile_height = 16;
constexpr int max_side = 15; // of the filter
__constant__ float weights[max_side * max_side];

__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_tile_inner(const float* from, float* to,
                                                  int width, int height, int radius)
{
    __shared__ float tile[tile_height][tile_width];

    int left = blockIdx.x * tile_width;
    int bottom = blockIdx.y * tile_height;
    int x = left + threadIdx.x;
    int y = bottom + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[y * width + x];

    __syncthreads(); // all threads, including those without a pixel
    if (x >= width || y >= height) return;

    float sum = 0;
    int tap = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        int row = clamped(y + dy, height);
        for (int dx = -radius; dx <= radius; ++dx) {
            int column = clamped(x + dx, width);
            bool in_tile = row >= bottom && row < bottom + tile_height &&
                           column >= left && column < left + tile_width;
            float pixel = in_tile ? tile[row - bottom][column - left] : from[row * width + column];
            sum += weights[tap++] * pixel;
        }
    }
    to[y * width + x] = sum;
}
