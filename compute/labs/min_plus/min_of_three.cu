// Minimum of three: lengths are never negative, and the order of such numbers is the same if their
// bits are read as integers. For integers there is one instruction for the minimum of three (from
// sm_90; otherwise the compiler emits two): two detours cost two additions and one minimum. 128
// threads with 16 × 8 elements each.
constexpr int tile = 128; // rows and columns of r that a block computes
constexpr int slice = 8;  // columns of a and rows of b that it holds at a time
constexpr int threads = 128;
constexpr int own_rows = 16;
constexpr int own_columns = 8;
constexpr int pad = 4; // the transposed rows of a: each starts four banks after the previous one

constexpr int vectors = tile * slice / 4 / threads; // loaded by a thread per slice
constexpr int a_rows = threads / (slice / 4);       // rows of a that all threads load at once
constexpr int b_rows = threads / (tile / 4);

__device__ float least(float x, float y, float z)
{
    return __int_as_float(min(min(__float_as_int(x), __float_as_int(y)), __float_as_int(z)));
}

// Four neighbours in a row; elements outside the matrix are infinitely far.
template <bool whole>
__device__ float4 four(const float* from, bool row_exists, int at, int n)
{
    if (whole) return *reinterpret_cast<const float4*>(from);
    const float infinity = 1.0f / 0.0f;
    float4 values = make_float4(infinity, infinity, infinity, infinity);
    if (row_exists && at < n) values.x = from[0];
    if (row_exists && at + 1 < n) values.y = from[1];
    if (row_exists && at + 2 < n) values.z = from[2];
    if (row_exists && at + 3 < n) values.w = from[3];
    return values;
}

// `whole`: everything that the block accesses is in the matrix and can be accessed four at a time.
template <bool whole>
__device__ void compute(const float* a, const float* b, float* r, int n,
                        float (&a_tile)[2][slice][tile + pad], float (&b_tile)[2][slice][tile])
{
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int first_row = blockIdx.y * tile;
    int first_column = blockIdx.x * tile;

    // Each of the four warps has a quarter of the tile, 64 × 64, as four lanes vertically and eight
    // horizontally. Lanes are assigned so that neighbours share a row or a column: a 16-byte load of
    // the warp then takes two wavefronts, not four.
    int down = (lane & 1) | (lane >> 1 & 2);
    int across = (lane >> 1 & 1) | (lane >> 2 & 6);
    int my_row = warp / 2 * 64 + down * 4;      // and 16, 32, 48 rows below
    int my_column = warp % 2 * 64 + across * 4; // and 32 columns to the right

    int a_row = t / (slice / 4), a_k = t % (slice / 4) * 4;
    int b_k = t / (tile / 4), b_column = t % (tile / 4) * 4;
    const float* next_a = a + static_cast<size_t>(first_row + a_row) * n + a_k;
    const float* next_b = b + static_cast<size_t>(b_k) * n + first_column + b_column;
    float4 from_a[vectors], from_b[vectors];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int v = 0; v < vectors; ++v)
            from_a[v] = four<whole>(next_a + static_cast<size_t>(v) * a_rows * n,
                                    first_row + a_row + v * a_rows < n, k0 + a_k, n);
#pragma unroll
        for (int v = 0; v < vectors; ++v)
            from_b[v] = four<whole>(next_b + static_cast<size_t>(v) * b_rows * n,
                                    k0 + b_k + v * b_rows < n, first_column + b_column, n);
        next_a += slice;
        next_b += static_cast<size_t>(slice) * n;
    };
    auto keep = [&](int half) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
            int row = a_row + v * a_rows;
            a_tile[half][a_k][row] = from_a[v].x;
            a_tile[half][a_k + 1][row] = from_a[v].y;
            a_tile[half][a_k + 2][row] = from_a[v].z;
            a_tile[half][a_k + 3][row] = from_a[v].w;
        }
#pragma unroll
        for (int v = 0; v < vectors; ++v)
            *reinterpret_cast<float4*>(&b_tile[half][b_k + v * b_rows][b_column]) = from_b[v];
    };

    float best[own_rows][own_columns];
#pragma unroll
    for (int i = 0; i < own_rows; ++i)
#pragma unroll
        for (int j = 0; j < own_columns; ++j) best[i][j] = 1.0f / 0.0f;

    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    for (int k0 = 0; k0 < n; k0 += slice) {
        bool more = k0 + slice < n;
        if (more) fetch(k0 + slice);
#pragma unroll
        for (int k = 0; k < slice; k += 2) {
            float left[2][own_rows], right[2][own_columns]; // the numbers for two values of k
#pragma unroll
            for (int p = 0; p < 2; ++p) {
#pragma unroll
                for (int i = 0; i < own_rows; i += 4)
                    *reinterpret_cast<float4*>(left[p] + i) =
                        *reinterpret_cast<const float4*>(&a_tile[half][k + p][my_row + i / 4 * 16]);
#pragma unroll
                for (int j = 0; j < own_columns; j += 4)
                    *reinterpret_cast<float4*>(right[p] + j) = *reinterpret_cast<const float4*>(
                        &b_tile[half][k + p][my_column + j / 4 * 32]);
            }
            // Odd rows go from right to left: their first numbers are still in registers.
#pragma unroll
            for (int i = 0; i < own_rows; ++i)
#pragma unroll
                for (int step = 0; step < own_columns; ++step) {
                    int j = i % 2 ? own_columns - 1 - step : step;
                    best[i][j] =
                        least(best[i][j], left[0][i] + right[0][j], left[1][i] + right[1][j]);
                }
        }
        if (more) {
            keep(half ^ 1);
            __syncthreads();
            half ^= 1;
        }
    }

#pragma unroll
    for (int i = 0; i < own_rows; ++i) {
        int row = first_row + my_row + i / 4 * 16 + i % 4;
        if (!whole && row >= n) continue;
#pragma unroll
        for (int j = 0; j < own_columns; j += 4) {
            int column = first_column + my_column + j / 4 * 32;
            float* to = r + static_cast<size_t>(row) * n + column;
            if (whole)
                *reinterpret_cast<float4*>(to) =
                    make_float4(best[i][j], best[i][j + 1], best[i][j + 2], best[i][j + 3]);
            else
                for (int q = 0; q < 4; ++q)
                    if (column + q < n) to[q] = best[i][j + q];
        }
    }
}

extern "C" __global__ void __launch_bounds__(threads, 2)
min_plus_min_of_three(const float* a, const float* b, float* r, int n)
{
    __shared__ float a_tile[2][slice][tile + pad];
    __shared__ float b_tile[2][slice][tile];
    bool whole = n % slice == 0 && (blockIdx.x + 1) * tile <= n && (blockIdx.y + 1) * tile <= n;
    if (whole)
        compute<true>(a, b, r, n, a_tile, b_tile);
    else
        compute<false>(a, b, r, n, a_tile, b_tile);
}
