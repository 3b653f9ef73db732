// Tile of 16: a block loads a square of A and a square of B into shared memory, uses each element
// 16 times, and continues with the next pair. One sixteenth as many global loads.
constexpr int tile = 16;

extern "C" __global__ void matmul_tile_16(const float* a, const float* b, float* c,
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
