// Shared tile: every thread loads its own cell, and those along the block's edges also the cell next to it; neighbours
// then come from shared memory. Each cell is fetched from global memory once instead of five times.
constexpr int tile_width = 32;
constexpr int tile_height = 16;

extern "C" __global__ void heat_shared_tile(const float* now, float* next,
                                            int width, int height, float k, bool insulated)
{
    __shared__ float tile[tile_height + 2][tile_width + 2];

    int x = blockIdx.x * tile_width + threadIdx.x;
    int y = blockIdx.y * tile_height + threadIdx.y;
    int tx = threadIdx.x + 1;
    int ty = threadIdx.y + 1;

    // Positions outside the plate are clamped to its edge, which models insulation.
    int column = min(x, width - 1);
    const float* row = now + min(y, height - 1) * width;
    tile[ty][tx] = row[column];
    if (tx == 1) tile[ty][0] = row[max(x - 1, 0)];
    if (tx == tile_width) tile[ty][tx + 1] = row[min(x + 1, width - 1)];
    if (ty == 1) tile[0][tx] = now[max(y - 1, 0) * width + column];
    if (ty == tile_height) tile[ty + 1][tx] = now[min(y + 1, height - 1) * width + column];

    // Threads outside the plate wait here too: a barrier counts every thread of the block.
    __syncthreads();
    if (x >= width || y >= height) return;

    float here = tile[ty][tx];
    float around = (tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]);
    float later = fmaf(k, fmaf(-4.0f, here, around), here);

    bool rim = x == 0 || x == width - 1 || y == 0 || y == height - 1;
    next[y * width + x] = rim && !insulated ? here : later;
}
