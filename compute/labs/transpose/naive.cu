// Naive: a warp reads 32 neighbours of a row, which is one line, and writes them into 32 different
// rows of the result: 32 sectors, of which it uses 4 bytes each.
constexpr int tile = 32;
constexpr int block_rows = 8;

extern "C" __global__ void transpose_naive(const float* from, float* to, int width, int height)
{
    int x = blockIdx.x * tile + threadIdx.x;
    int first = blockIdx.y * tile + threadIdx.y;

    for (int y = first; y < first + tile; y += block_rows)
        if (x < width && y < height) to[x * height + y] = from[y * width + x];
}
