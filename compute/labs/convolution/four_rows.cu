// Four rows: a thread computes four pixels, one above the other, with most neighbours in common. Each pixel read from
// the tile moves on through four registers, and each weight is used four times.
constexpr int tile_width = 32;
constexpr int tile_height = 32;
constexpr int rows = 4; // per thread
constexpr int max_radius = 7;
constexpr int max_side = 2 * max_radius + 1; // of the filter
__constant__ float weights[max_side * max_side];

__device__ int clamped(int i, int count) // positions outside the picture count as its edge
{
    return min(max(i, 0), count - 1);
}

extern "C" __global__ void convolution_four_rows(const float* from, float* to,
                                                 int width, int height, int radius)
{
    __shared__ float tile[tile_height + 2 * max_radius][tile_width + 2 * max_radius];

    int left = blockIdx.x * tile_width - radius;
    int bottom = blockIdx.y * tile_height - radius;
    for (int ty = threadIdx.y; ty < tile_height + 2 * radius; ty += tile_height / rows) {
        const float* row = from + clamped(bottom + ty, height) * width;
        for (int tx = threadIdx.x; tx < tile_width + 2 * radius; tx += tile_width)
            tile[ty][tx] = row[clamped(left + tx, width)];
    }

    __syncthreads(); // all threads, including those without a pixel
    int first = threadIdx.y * rows;
    int side = 2 * radius + 1;
    float sum[rows] = {};
    for (int dx = 0; dx < side; ++dx) {
        int tx = threadIdx.x + dx;
        float pixel[rows] = {0, tile[first][tx], tile[first + 1][tx], tile[first + 2][tx]};
        for (int dy = 0; dy < side; ++dy) {
            for (int r = 0; r < rows - 1; ++r) pixel[r] = pixel[r + 1];
            pixel[rows - 1] = tile[first + dy + rows - 1][tx];
            float weight = weights[dy * side + dx];
            for (int r = 0; r < rows; ++r) sum[r] += weight * pixel[r];
        }
    }

    int x = blockIdx.x * tile_width + threadIdx.x;
    int y = blockIdx.y * tile_height + first;
    for (int r = 0; r < rows; ++r)
        if (x < width && y + r < height) to[(y + r) * width + x] = sum[r];
}
