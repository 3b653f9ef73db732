// Registers, 1-D: each thread owns eight elements of a column of C. An element of B, once read from
// shared memory, is reused eight times from a register: nine reads for eight products, not sixteen.
constexpr int tile = 64; // rows and columns of C that a block computes
constexpr int slice = 8; // columns of A and rows of B that it holds at a time
constexpr int own = 8;   // elements of C that a thread owns, in one column

extern "C" __global__ void matmul_registers_1d(const float* a, const float* b, float* c,
                                               int rows, int columns, int depth)
{
    __shared__ float a_tile[tile][slice];
    __shared__ float b_tile[slice][tile];

    int t = threadIdx.x; // 0 to 511
    int first_row = blockIdx.y * tile;
    int first_column = blockIdx.x * tile;
    int a_row = first_row + t / slice, a_k = t % slice;
    int b_k = t / tile, column = first_column + t % tile;
    int strip = t / tile * own;

    float sums[own] = {};
    for (int k0 = 0; k0 < depth; k0 += slice) {
        bool a_exists = a_row < rows && k0 + a_k < depth;
        bool b_exists = k0 + b_k < depth && column < columns;
        a_tile[t / slice][a_k] = a_exists ? a[a_row * depth + k0 + a_k] : 0.0f;
        b_tile[b_k][t % tile] = b_exists ? b[(k0 + b_k) * columns + column] : 0.0f;
        __syncthreads();

        for (int k = 0; k < slice; ++k) {
            float from_b = b_tile[k][t % tile];
            for (int i = 0; i < own; ++i) sums[i] = fmaf(a_tile[strip + i][k], from_b, sums[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < own; ++i) {
        int row = first_row + strip + i;
        if (row < rows && column < columns) c[row * columns + column] = sums[i];
    }
}
