// Swizzled: as before, but a row's chunks of 16 bytes are exchanged: chunk i of row r is at i ^ r % 8. Eight rows of
// a tile then are in all 32 banks. Needs compute capability 8.9 for fp8, else 8.0.
constexpr int bf16 = 0, f16 = 1, tf32 = 2, fp8 = 3;
constexpr int tile = 128;   // rows and columns of C that a block computes
constexpr int chunks = 8;   // of 16 bytes, in a row of a slice
constexpr int threads = 256;
constexpr int down = 4, across = 4; // tiles of 16 × 8 that a warp computes

__device__ int place(int row, int chunk)
{
    return chunk ^ row % 8;
}

// Four matrices of 8 rows of 16 bytes; each lane gives the address of a row.
__device__ void load_matrices(unsigned (&to)[4], const uint4* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

#define MMA(kind) \
    asm("mma.sync.aligned." kind " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// c += a * b: 16 rows of A, 8 columns of B, 32 bytes along k.
template <int precision>
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned* b)
{
    if constexpr (precision == bf16) MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
    if constexpr (precision == f16) MMA("m16n8k16.row.col.f32.f16.f16.f32");
    if constexpr (precision == tf32) MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
    if constexpr (precision == fp8) MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32");
}

// Starts the copy of a chunk per row of a slice; chunks outside of the matrix become zeros.
__device__ void copy(uint4 (&to)[tile][chunks], const uint4* from, int rows, bool exists, int row_chunks)
{
    int row = threadIdx.x / chunks, chunk = threadIdx.x % chunks;
    for (int i = row; i < tile; i += threads / chunks)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&to[i][place(i, chunk)]))),
                     "l"(from + i * row_chunks + chunk), "r"(exists && i < rows ? 16 : 0) : "memory");
}

template <int precision>
__device__ void product(const uint4* a, const uint4* b, float* c, int rows, int columns, int depth)
{
    __shared__ uint4 a_tile[tile][chunks], b_tile[tile][chunks];
    constexpr int number_bytes = precision == tf32 ? 4 : precision == fp8 ? 1 : 2;
    int row_chunks = depth * number_bytes / 16; // in a row of A, or a column of B
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
    int my_row = warp / 4 * 64, my_column = warp % 4 * 32;

    float sums[down][across][4] = {};
    for (int k = 0; k < row_chunks; k += chunks) {
        bool exists = k + threadIdx.x % chunks < row_chunks;
        copy(a_tile, a + first_row * row_chunks + k, rows - first_row, exists, row_chunks);
        copy(b_tile, b + first_column * row_chunks + k, columns - first_column, exists, row_chunks);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        for (int step = 0; step < chunks; step += 2) {
            unsigned left[down][4], right[across / 2][4];
            for (int i = 0; i < down; ++i) {
                int row = my_row + i * 16 + lane % 16, chunk = step + lane / 16;
                load_matrices(left[i], &a_tile[row][place(row, chunk)]);
            }
            for (int j = 0; j < across / 2; ++j) {
                int column = my_column + j * 16 + lane / 16 * 8 + lane % 8, chunk = step + lane / 8 % 2;
                load_matrices(right[j], &b_tile[column][place(column, chunk)]);
            }
            for (int i = 0; i < down; ++i)
                for (int j = 0; j < across; ++j) multiply<precision>(sums[i][j], left[i], &right[j / 2][j % 2 * 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j)
            for (int half = 0; half < 2; ++half) {
                int row = first_row + my_row + i * 16 + half * 8 + lane / 4;
                int column = first_column + my_column + j * 8 + lane % 4 * 2;
                if (row < rows && column < columns)
                    *reinterpret_cast<float2*>(&c[row * columns + column]) = make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
            }
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_swizzled_bf16(
    const uint4* a, const uint4* b, float* c, int rows, int columns, int depth)
{
    product<bf16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_swizzled_f16(
    const uint4* a, const uint4* b, float* c, int rows, int columns, int depth)
{
    product<f16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_swizzled_tf32(
    const uint4* a, const uint4* b, float* c, int rows, int columns, int depth)
{
    product<tf32>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_swizzled_fp8(
    const uint4* a, const uint4* b, float* c, int rows, int columns, int depth)
{
    product<fp8>(a, b, c, rows, columns, depth);
}
