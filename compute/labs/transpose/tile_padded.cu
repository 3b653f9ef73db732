// Tile, padded: one unused column makes rows 33 words long. The element below is then one bank further, and the 32
// lanes of a column hit 32 different banks.
constexpr int tile = 32;
constexpr int block_rows = 8;

extern "C" __global__ void transpose_tile_padded(const float* from, float* to, int width, int height)
{
    __shared__ float cells[tile][tile + 1];

    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int r = 0; r < tile; r += block_rows)
        if (x < width && y + r < height)
            cells[threadIdx.y + r][threadIdx.x] = from[(y + r) * width + x];

    __syncthreads();

    // Position of the tile in the result: block coordinates exchanged.
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int r = 0; r < tile; r += block_rows)
        if (x < height && y + r < width)
            to[(y + r) * height + x] = cells[threadIdx.x][threadIdx.y + r];
}
