// Double buffered, float4: all accesses are 16 bytes wide, and while one slice is multiplied, the next
// is already in flight from global memory. It goes to the other half of shared memory: one barrier per
// slice instead of two, and the arithmetic doesn't wait.
constexpr int tile = 128;
constexpr int slice = 8;
constexpr int own = 8;
constexpr int across = tile / own;
constexpr int threads = across * across;

// Four neighbours in a row, from `at`; elements outside the matrix count as 0.
__device__ float4 four(const float* row, bool exists, int at, int size)
{
    if (exists && at + 4 <= size && size % 4 == 0)
        return *reinterpret_cast<const float4*>(row + at);
    float4 values = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (exists && at < size) values.x = row[at];
    if (exists && at + 1 < size) values.y = row[at + 1];
    if (exists && at + 2 < size) values.z = row[at + 2];
    if (exists && at + 3 < size) values.w = row[at + 3];
    return values;
}

extern "C" __global__ void __launch_bounds__(threads)
matmul_double_buffered(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    __shared__ float a_tile[2][slice][tile];
    __shared__ float b_tile[2][slice][tile];

    int t = threadIdx.x; // 0 to 255
    int first_row = blockIdx.y * tile;
    int first_column = blockIdx.x * tile;
    int a_row = t / 2, a_k = t % 2 * 4;      // the four elements of A's slice that this thread loads
    int b_k = t / 32, b_column = t % 32 * 4; // the four elements of B's slice that this thread loads
    int my_row = t / across * 4;             // its rows of C: four, and four more 64 below
    int my_column = t % across * 4;

    float4 from_a, from_b;
    auto fetch = [&](int k0) {
        int row = first_row + a_row, k = k0 + b_k;
        from_a = four(a + row * depth, row < rows, k0 + a_k, depth);
        from_b = four(b + k * columns, k < depth, first_column + b_column, columns);
    };
    auto keep = [&](int half) {
        a_tile[half][a_k][a_row] = from_a.x;
        a_tile[half][a_k + 1][a_row] = from_a.y;
        a_tile[half][a_k + 2][a_row] = from_a.z;
        a_tile[half][a_k + 3][a_row] = from_a.w;
        *reinterpret_cast<float4*>(&b_tile[half][b_k][b_column]) = from_b;
    };

    float sums[own][own] = {};
    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    for (int k0 = 0; k0 < depth; k0 += slice) {
        bool more = k0 + slice < depth;
        if (more) fetch(k0 + slice); // requested now, needed after the arithmetic
        for (int k = 0; k < slice; ++k) {
            float4 left[2], right[2];
            for (int i = 0; i < 2; ++i) {
                left[i] = *reinterpret_cast<float4*>(&a_tile[half][k][my_row + i * 64]);
                right[i] = *reinterpret_cast<float4*>(&b_tile[half][k][my_column + i * 64]);
            }
            const float* l = &left[0].x;
            const float* r = &right[0].x;
            for (int i = 0; i < own; ++i)
                for (int j = 0; j < own; ++j) sums[i][j] = fmaf(l[i], r[j], sums[i][j]);
        }
        if (more) {
            keep(half ^ 1);
            __syncthreads();
            half ^= 1;
        }
    }
    for (int i = 0; i < own; ++i)
        for (int j = 0; j < own; ++j) {
            int row = first_row + my_row + i / 4 * 64 + i % 4;
            int column = first_column + my_column + j / 4 * 64 + j % 4;
            if (row < rows && column < columns) c[row * columns + column] = sums[i][j];
        }
}
