// Shared tile: a block loads its cells and a one-cell rim around them once; the neighbours then
// come from shared memory. Each cell is fetched from global memory once instead of five times.
constexpr int tile_width = 32;
constexpr int tile_height = 16;

extern "C" __global__ void heat_shared_tile(const float* now, float* next,
                                            int width, int height, float k, bool insulated)
{
    __shared__ float tile[tile_height + 2][tile_width + 2];

    int x = blockIdx.x * tile_width + threadIdx.x;
    int y = blockIdx.y * tile_height + threadIdx.y;

    // The tile with its rim has more cells than the block has threads: each thread loads one or two.
    // Positions beyond the plate are moved onto its edge, which is what insulation means.
    int thread = threadIdx.y * tile_width + threadIdx.x;
    for (int cell = thread; cell < (tile_width + 2) * (tile_height + 2); cell += tile_width * tile_height) {
        int tile_x = cell % (tile_width + 2);
        int tile_y = cell / (tile_width + 2);
        int from_x = min(max((int)blockIdx.x * tile_width + tile_x - 1, 0), width - 1);
        int from_y = min(max((int)blockIdx.y * tile_height + tile_y - 1, 0), height - 1);
        tile[tile_y][tile_x] = now[from_y * width + from_x];
    }

    // Threads beyond the plate wait here too: a barrier counts every thread of the block.
    __syncthreads();
    if (x >= width || y >= height) return;

    int tx = threadIdx.x + 1;
    int ty = threadIdx.y + 1;
    float here = tile[ty][tx];
    float around = (tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]);
    float later = fmaf(k, fmaf(-4.0f, here, around), here);

    bool rim = x == 0 || x == width - 1 || y == 0 || y == height - 1;
    next[y * width + x] = rim && !insulated ? here : later;
}
