// Tensor cores: a warp multiplies 16 × 8 by 8 × 8 elements with one instruction. Inputs are tf32: 8 bits
// of exponent as in float, but 10 of mantissa instead of 23. The sums stay float. The precision differs,
// so it isn't ranked with the earlier rungs. Needs compute capability 8.0.
constexpr int tile = 128; // rows and columns of C that a block computes
constexpr int slice = 16;
constexpr int threads = 256; // eight warps of 64 rows and 32 columns
constexpr int down = 4;      // 16 × 8 products that a warp owns vertically
constexpr int across = 4;    // and horizontally
constexpr int a_pad = 4;     // puts the lanes of a fragment in 32 banks
constexpr int b_pad = 8;

__device__ unsigned to_tf32(float value)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
}

// c += a * b. A lane holds four elements of a (16 × 8), two of b (8 × 8) and four of c (16 × 8).
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ uint4 to_tf32(float4 of)
{
    return make_uint4(to_tf32(of.x), to_tf32(of.y), to_tf32(of.z), to_tf32(of.w));
}

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
matmul_tensor_cores(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    __shared__ unsigned a_tile[2][tile][slice + a_pad];
    __shared__ unsigned b_tile[2][slice][tile + b_pad];

    int t = threadIdx.x;
    int lane = t % 32, warp = t / 32;
    int group = lane / 4, member = lane % 4; // the lane's row and column in a fragment
    int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
    int my_row = warp / 4 * 64, my_column = warp % 4 * 32;
    int a_row = t / 4, a_k = t % 4 * 4;      // four elements of A's slice; four more are 64 rows below
    int b_k = t / 32, b_column = t % 32 * 4; // four elements of B's slice; four more are 8 rows below

    float4 from_a[2], from_b[2];
    auto fetch = [&](int k0) {
        for (int v = 0; v < 2; ++v) {
            int row = first_row + a_row + v * 64, k = k0 + b_k + v * 8;
            from_a[v] = four(a + row * depth, row < rows, k0 + a_k, depth);
            from_b[v] = four(b + k * columns, k < depth, first_column + b_column, columns);
        }
    };
    auto keep = [&](int half) {
        for (int v = 0; v < 2; ++v) {
            *reinterpret_cast<uint4*>(&a_tile[half][a_row + v * 64][a_k]) = to_tf32(from_a[v]);
            *reinterpret_cast<uint4*>(&b_tile[half][b_k + v * 8][b_column]) = to_tf32(from_b[v]);
        }
    };

    float sums[down][across][4] = {};
    fetch(0);
    keep(0);
    __syncthreads();
    int half = 0;
    for (int k0 = 0; k0 < depth; k0 += slice) {
        bool more = k0 + slice < depth;
        if (more) fetch(k0 + slice);
        for (int k = 0; k < slice; k += 8) {
            unsigned left[down][4], right[across][2];
            for (int i = 0; i < down; ++i)
                for (int q = 0; q < 4; ++q) {
                    int row = my_row + i * 16 + group + q % 2 * 8;
                    left[i][q] = a_tile[half][row][k + member + q / 2 * 4];
                }
            for (int j = 0; j < across; ++j)
                for (int q = 0; q < 2; ++q)
                    right[j][q] = b_tile[half][k + member + q * 4][my_column + j * 8 + group];
            for (int i = 0; i < down; ++i)
                for (int j = 0; j < across; ++j) multiply_add(sums[i][j], left[i], right[j]);
        }
        if (more) {
            keep(half ^ 1);
            __syncthreads();
            half ^= 1;
        }
    }
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j)
            for (int q = 0; q < 4; ++q) {
                int row = first_row + my_row + i * 16 + group + q / 2 * 8;
                int column = first_column + my_column + j * 8 + member * 2 + q % 2;
                if (row < rows && column < columns) c[row * columns + column] = sums[i][j][q];
            }
}
