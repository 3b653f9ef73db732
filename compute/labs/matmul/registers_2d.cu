// Registers, 2-D: each thread owns 8 × 8 elements of C. Sixteen numbers from shared memory now serve
// 64 products. A is stored transposed, so that a thread's eight rows are adjacent there.
constexpr int tile = 128;
constexpr int slice = 8;
constexpr int own = 8;
constexpr int across = tile / own; // threads per row of C's tile
constexpr int threads = across * across;

extern "C" __global__ void __launch_bounds__(threads)
matmul_registers_2d(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    __shared__ float a_tile[slice][tile];
    __shared__ float b_tile[slice][tile];

    int t = threadIdx.x; // 0 to 255
    int first_row = blockIdx.y * tile;
    int first_column = blockIdx.x * tile;
    int my_row = t / across * own;
    int my_column = t % across * own;

    float sums[own][own] = {};
    for (int k0 = 0; k0 < depth; k0 += slice) {
        for (int at = t; at < tile * slice; at += threads) {
            int row = first_row + at / slice, k = k0 + at % slice;
            bool exists = row < rows && k < depth;
            a_tile[at % slice][at / slice] = exists ? a[row * depth + k] : 0.0f;
        }
        for (int at = t; at < tile * slice; at += threads) {
            int k = k0 + at / tile, column = first_column + at % tile;
            bool exists = k < depth && column < columns;
            b_tile[at / tile][at % tile] = exists ? b[k * columns + column] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < slice; ++k) {
            float from_a[own], from_b[own];
            for (int i = 0; i < own; ++i) from_a[i] = a_tile[k][my_row + i];
            for (int j = 0; j < own; ++j) from_b[j] = b_tile[k][my_column + j];
            for (int i = 0; i < own; ++i)
                for (int j = 0; j < own; ++j) sums[i][j] = fmaf(from_a[i], from_b[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < own; ++i)
        for (int j = 0; j < own; ++j) {
            int row = first_row + my_row + i, column = first_column + my_column + j;
            if (row < rows && column < columns) c[row * columns + column] = sums[i][j];
        }
}
