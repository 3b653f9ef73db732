// Tuned: while a slice is multiplied, the next one is loaded into registers, and then goes to the
// other half of shared memory: one barrier per slice, and no waiting for memory. All accesses are 16 bytes
// wide. 128 threads with 16 × 8 elements each: 24 numbers from shared memory serve 128 products.
constexpr int tile = 128; // rows and columns of C that a block computes
constexpr int slice = 8;  // columns of A and rows of B that it holds at a time
constexpr int threads = 128;
constexpr int own_rows = 16;
constexpr int own_columns = 8;
constexpr int pad = 4; // the transposed A: each row starts four banks after the previous one

constexpr int a_vectors = tile * slice / 4 / threads; // loaded by a thread per slice
constexpr int b_vectors = a_vectors;
constexpr int a_rows = threads / (slice / 4); // rows of A that all threads load at once
constexpr int b_rows = threads / (tile / 4);

// Four neighbours in a row; elements outside the matrix count as 0.
template <bool whole>
__device__ float4 four(const float* from, bool row_exists, int at, int size)
{
    if (whole) return *reinterpret_cast<const float4*>(from);
    float4 values = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row_exists && at < size) values.x = from[0];
    if (row_exists && at + 1 < size) values.y = from[1];
    if (row_exists && at + 2 < size) values.z = from[2];
    if (row_exists && at + 3 < size) values.w = from[3];
    return values;
}

// `whole`: the block's part of C and all rows of A and B that it reads can be accessed four at a time.
template <bool whole>
__device__ void compute(const float* a, const float* b, float* c, int rows, int columns, int depth,
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
    const float* next_a = a + static_cast<size_t>(first_row + a_row) * depth + a_k;
    const float* next_b = b + static_cast<size_t>(b_k) * columns + first_column + b_column;
    float4 from_a[a_vectors], from_b[b_vectors];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int v = 0; v < a_vectors; ++v)
            from_a[v] = four<whole>(next_a + static_cast<size_t>(v) * a_rows * depth,
                                    first_row + a_row + v * a_rows < rows, k0 + a_k, depth);
#pragma unroll
        for (int v = 0; v < b_vectors; ++v)
            from_b[v] = four<whole>(next_b + static_cast<size_t>(v) * b_rows * columns,
                                    k0 + b_k + v * b_rows < depth, first_column + b_column, columns);
        next_a += slice;
        next_b += static_cast<size_t>(slice) * columns;
    };
    auto keep = [&](int half) {
#pragma unroll
        for (int v = 0; v < a_vectors; ++v) {
            int row = a_row + v * a_rows;
            a_tile[half][a_k][row] = from_a[v].x;
            a_tile[half][a_k + 1][row] = from_a[v].y;
            a_tile[half][a_k + 2][row] = from_a[v].z;
            a_tile[half][a_k + 3][row] = from_a[v].w;
        }
#pragma unroll
        for (int v = 0; v < b_vectors; ++v)
            *reinterpret_cast<float4*>(&b_tile[half][b_k + v * b_rows][b_column]) = from_b[v];
    };

    float sums[own_rows][own_columns];
#pragma unroll
    for (int i = 0; i < own_rows; ++i)
#pragma unroll
        for (int j = 0; j < own_columns; ++j) sums[i][j] = 0.0f;

    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    for (int k0 = 0; k0 < depth; k0 += slice) {
        // The next slice is loaded now and stored after the arithmetic, into the other half.
        bool more = k0 + slice < depth;
        if (more) fetch(k0 + slice);
#pragma unroll
        for (int k = 0; k < slice; ++k) {
            float left[own_rows], right[own_columns];
#pragma unroll
            for (int i = 0; i < own_rows; i += 4)
                *reinterpret_cast<float4*>(left + i) =
                    *reinterpret_cast<const float4*>(&a_tile[half][k][my_row + i / 4 * 16]);
#pragma unroll
            for (int j = 0; j < own_columns; j += 4)
                *reinterpret_cast<float4*>(right + j) =
                    *reinterpret_cast<const float4*>(&b_tile[half][k][my_column + j / 4 * 32]);
#pragma unroll
            for (int i = 0; i < own_rows; ++i)
#pragma unroll
                for (int j = 0; j < own_columns; ++j)
                    sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
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
        if (!whole && row >= rows) continue;
#pragma unroll
        for (int j = 0; j < own_columns; j += 4) {
            int column = first_column + my_column + j / 4 * 32;
            float* to = c + static_cast<size_t>(row) * columns + column;
            if (whole)
                *reinterpret_cast<float4*>(to) =
                    make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
            else
                for (int q = 0; q < 4; ++q)
                    if (column + q < columns) to[q] = sums[i][j + q];
        }
    }
}

extern "C" __global__ void __launch_bounds__(threads, 2)
matmul_tuned(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    __shared__ float a_tile[2][slice][tile + pad];
    __shared__ float b_tile[2][slice][tile];
    bool whole = columns % 4 == 0 && depth % slice == 0 && (blockIdx.x + 1) * tile <= columns &&
                 (blockIdx.y + 1) * tile <= rows;
    if (whole)
        compute<true>(a, b, c, rows, columns, depth, a_tile, b_tile);
    else
        compute<false>(a, b, c, rows, columns, depth, a_tile, b_tile);
}
