// Register block: a thread owns 4 × 4 elements. Eight numbers from shared memory now serve sixteen
// pairs of an addition and a minimum, where two served one.
constexpr int tile = 64;  // rows and columns of r that a block computes
constexpr int slice = 16; // columns of a and rows of b that it holds at a time
constexpr int own = 4;    // rows and columns per thread
constexpr int across = tile / own;
constexpr int threads = across * across;

extern "C" __global__ void min_plus_register_block(const float* a, const float* b, float* r, int n)
{
    __shared__ float a_tile[slice][tile + 1]; // transposed: a thread's rows are adjacent
    __shared__ float b_tile[slice][tile];
    const float infinity = 1.0f / 0.0f;

    int t = threadIdx.x;
    int first_row = blockIdx.y * tile;
    int first_column = blockIdx.x * tile;
    int tx = t % across, ty = t / across;

    float best[own][own];
    for (int p = 0; p < own; ++p)
        for (int q = 0; q < own; ++q) best[p][q] = infinity;

    for (int k0 = 0; k0 < n; k0 += slice) {
        for (int at = t; at < tile * slice; at += threads) {
            int i = first_row + at / slice, k = k0 + at % slice;
            a_tile[at % slice][at / slice] = i < n && k < n ? a[i * n + k] : infinity;
        }
        for (int at = t; at < tile * slice; at += threads) {
            int k = k0 + at / tile, j = first_column + at % tile;
            b_tile[at / tile][at % tile] = k < n && j < n ? b[k * n + j] : infinity;
        }
        __syncthreads();

        for (int k = 0; k < slice; ++k) {
            float left[own], right[own];
            for (int p = 0; p < own; ++p) left[p] = a_tile[k][ty + p * across];
            for (int q = 0; q < own; ++q) right[q] = b_tile[k][tx + q * across];
            for (int p = 0; p < own; ++p)
                for (int q = 0; q < own; ++q) best[p][q] = fminf(best[p][q], left[p] + right[q]);
        }
        __syncthreads();
    }
    for (int p = 0; p < own; ++p)
        for (int q = 0; q < own; ++q) {
            int i = first_row + ty + p * across, j = first_column + tx + q * across;
            if (i < n && j < n) r[i * n + j] = best[p][q];
        }
}
