// float4: a thread transposes four rows of four elements in its registers, so that global and shared memory
// see only 16-byte accesses. Shared memory passes the small squares between threads, swizzled by vectors.
constexpr int tile = 64;
constexpr int vectors = tile / 4; // per row of the tile

extern "C" __global__ void transpose_tile_float4(const float* from, float* to, int width, int height)
{
    __shared__ float4 cells[tile][vectors];

    // This thread's square starts at column 4 * across, row 4 * along.
    int across = threadIdx.x;
    int along = threadIdx.y;
    int x = blockIdx.x * tile + 4 * across;
    int y = blockIdx.y * tile + 4 * along;

    float square[4][4] = {};
    if (width % 4 == 0 && x < width && y + 3 < height) {
        for (int r = 0; r < 4; ++r) {
            float4 row = *reinterpret_cast<const float4*>(from + (y + r) * width + x);
            square[r][0] = row.x, square[r][1] = row.y, square[r][2] = row.z, square[r][3] = row.w;
        }
    } else {
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c)
                if (x + c < width && y + r < height) square[r][c] = from[(y + r) * width + x + c];
    }
    // Columns leave as rows. The XOR spreads eight threads served together over all banks.
    for (int c = 0; c < 4; ++c)
        cells[4 * across + c][along ^ across] = make_float4(square[0][c], square[1][c], square[2][c], square[3][c]);

    __syncthreads();

    x = blockIdx.y * tile + 4 * across;
    y = blockIdx.x * tile + 4 * along;
    float4 rows[4];
    for (int r = 0; r < 4; ++r) rows[r] = cells[4 * along + r][across ^ along];
    if (height % 4 == 0 && x < height && y + 3 < width) {
        for (int r = 0; r < 4; ++r) *reinterpret_cast<float4*>(to + (y + r) * height + x) = rows[r];
    } else {
        for (int r = 0; r < 4; ++r) {
            if (y + r >= width) continue;
            float* row = to + (y + r) * height;
            if (x < height) row[x] = rows[r].x;
            if (x + 1 < height) row[x + 1] = rows[r].y;
            if (x + 2 < height) row[x + 2] = rows[r].z;
            if (x + 3 < height) row[x + 3] = rows[r].w;
        }
    }
}
