// Tile of 32: the same with 32 × 32 threads. Each loaded element is used 32 times, and the
// lanes of a warp are neighbours in one row again.
constexpr int tile = 32;

extern "C" __global__ void matmul_tile_32(const float* a, const float* b, float* c,
                                          int rows, int columns, int depth)
{
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];

    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * tile + tx;
    int row = blockIdx.y * tile + ty;

    float sum = 0;
    for (int k0 = 0; k0 < depth; k0 += tile) {
        bool a_exists = row < rows && k0 + tx < depth;
        bool b_exists = k0 + ty < depth && column < columns;
        a_tile[ty][tx] = a_exists ? a[row * depth + k0 + tx] : 0.0f;
        b_tile[ty][tx] = b_exists ? b[(k0 + ty) * columns + column] : 0.0f;
        __syncthreads(); // the tiles are complete

        for (int k = 0; k < tile; ++k) sum = fmaf(a_tile[ty][k], b_tile[k][tx], sum);
        __syncthreads(); // all threads are done with them
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
