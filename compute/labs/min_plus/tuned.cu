// Tuned: while one slice is processed, the next is loaded into registers and then goes to the other
// half of shared memory; numbers of the next k are also read ahead. An addition and a minimum are
// two instructions: their roof is half of the multiply-add rate, and every other instruction takes
// away from it.
constexpr int tile = 128; // rows and columns of r that a block computes
constexpr int slice = 16; // columns of a and rows of b that it holds at a time
constexpr int threads = 256;
constexpr int own = 8; // rows and columns per thread
constexpr int pad = 4; // the transposed rows of a: each starts four banks after the previous one

constexpr int vectors = tile * slice / 4 / threads; // loaded by a thread per slice
constexpr int a_rows = threads / (slice / 4);       // rows of a that all threads load at once
constexpr int b_rows = threads / (tile / 4);

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

    // A warp has 64 rows and 32 columns, as eight lanes vertically and four horizontally. Lanes are
    // assigned so that neighbours share a row or a column: a 16-byte load of the warp then takes two
    // wavefronts, not four.
    int down = (lane >> 1 & 1) | (lane >> 2 & 6);
    int across = (lane & 1) | (lane >> 1 & 2);
    int my_row = warp / 4 * 64 + down * 4;      // and 32 rows below
    int my_column = warp % 4 * 32 + across * 4; // and 16 columns to the right

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

    float best[own][own];
#pragma unroll
    for (int i = 0; i < own; ++i)
#pragma unroll
        for (int j = 0; j < own; ++j) best[i][j] = 1.0f / 0.0f;

    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    float left[2][own], right[2][own]; // the numbers for this k and the next
    auto load = [&](int k) {
#pragma unroll
        for (int i = 0; i < own; i += 4)
            *reinterpret_cast<float4*>(left[k % 2] + i) =
                *reinterpret_cast<const float4*>(&a_tile[half][k][my_row + i / 4 * 32]);
#pragma unroll
        for (int j = 0; j < own; j += 4)
            *reinterpret_cast<float4*>(right[k % 2] + j) =
                *reinterpret_cast<const float4*>(&b_tile[half][k][my_column + j / 4 * 16]);
    };
    load(0);
    for (int k0 = 0; k0 < n; k0 += slice) {
        bool more = k0 + slice < n;
        if (more) fetch(k0 + slice);
#pragma unroll
        for (int k = 0; k < slice; ++k) {
            if (k + 1 < slice) {
                load(k + 1);
            } else if (more) {
                keep(half ^ 1);
                __syncthreads();
                half ^= 1;
                load(0);
            }
            // Odd rows go from right to left: their first number is still in a register.
#pragma unroll
            for (int i = 0; i < own; ++i)
#pragma unroll
                for (int step = 0; step < own; ++step) {
                    int j = i % 2 ? own - 1 - step : step;
                    best[i][j] = fminf(best[i][j], left[k % 2][i] + right[k % 2][j]);
                }
        }
    }

#pragma unroll
    for (int i = 0; i < own; ++i) {
        int row = first_row + my_row + i / 4 * 32 + i % 4;
        if (!whole && row >= n) continue;
#pragma unroll
        for (int j = 0; j < own; j += 4) {
            int column = first_column + my_column + j / 4 * 16;
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
min_plus_tuned(const float* a, const float* b, float* r, int n)
{
    __shared__ float a_tile[2][slice][tile + pad];
    __shared__ float b_tile[2][slice][tile];
    bool whole = n % slice == 0 && (blockIdx.x + 1) * tile <= n && (blockIdx.y + 1) * tile <= n;
    if (whole)
        compute<true>(a, b, r, n, a_tile, b_tile);
    else
        compute<false>(a, b, r, n, a_tile, b_tile);
}
