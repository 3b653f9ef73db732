// wgmma: four warps multiply together, and the tensor cores read both tiles from shared memory. One thread starts a copy
// of a box of each matrix, which arrives swizzled; an mbarrier says when. Needs compute capability 9.0.
constexpr int bf16 = 0, f16 = 1, tf32 = 2, fp8 = 3;
constexpr int tile = 64;   // rows and columns of C that a block computes
constexpr int slice = 128; // bytes of a row of A or B per step: 64 numbers of 16 bits
constexpr int tile_bytes = tile * slice;
constexpr int threads = 128;

struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

__device__ unsigned address(const void* in_shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

// Waits until the phase with this parity is complete.
__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}"
                 ::"r"(barrier), "r"(parity) : "memory");
}

// Arrives, and announces the bytes that copies will bring in this phase.
__device__ void expect(unsigned barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Copies 64 rows of a slice, swizzled.
__device__ void copy(unsigned to, const TensorMap& from, int k, int row, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&from), "r"(k), "r"(row), "r"(barrier) : "memory");
}

// A tile in shared memory as wgmma takes it: swizzled rows of 128 bytes, groups of eight rows 1024 bytes apart.
__device__ unsigned long long descriptor(unsigned tile)
{
    return (tile & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

#define EIGHT(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), \
                 "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])
#define WGMMA(kind, orders) \
    asm volatile("wgmma.mma_async.sync.aligned." kind " {" \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31" \
        "}, %32, %33, 1, 1, 1" orders ";" \
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24) : "l"(a), "l"(b))

// c += a * b: 64 rows of A, 64 columns of B, 32 bytes along k; 32 sums for each thread.
template <int precision>
__device__ void multiply(float (&c)[32], unsigned long long a, unsigned long long b)
{
    if constexpr (precision == bf16) WGMMA("m64n64k16.f32.bf16.bf16", ", 0, 0");
    if constexpr (precision == f16) WGMMA("m64n64k16.f32.f16.f16", ", 0, 0");
    if constexpr (precision == tf32) WGMMA("m64n64k8.f32.tf32.tf32", "");
    if constexpr (precision == fp8) WGMMA("m64n64k32.f32.e4m3.e4m3", "");
}

template <int precision>
__device__ void product(const TensorMap& a, const TensorMap& b, float* c, int rows, int columns, int depth)
{
    __shared__ __align__(1024) unsigned char a_tile[tile_bytes], b_tile[tile_bytes];
    __shared__ __align__(8) unsigned long long arrived;
    constexpr int slice_numbers = precision == tf32 ? slice / 4 : precision == fp8 ? slice : slice / 2;
    int t = threadIdx.x, first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&arrived)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    float sums[32] = {};
    int parity = 0;
    for (int k = 0; k < depth; k += slice_numbers) {
        if (t == 0) {
            expect(address(&arrived), 2 * tile_bytes);
            copy(address(a_tile), a, k, first_row, address(&arrived));
            copy(address(b_tile), b, k, first_column, address(&arrived));
        }
        wait(address(&arrived), parity);
        parity ^= 1;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < slice / 32; ++step)
            multiply<precision>(sums, descriptor(address(a_tile)) + 2 * step, descriptor(address(b_tile)) + 2 * step);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads(); // the tiles may be overwritten
    }
    int row = first_row + t / 32 * 16 + t % 32 / 4, column = first_column + t % 4 * 2;
    for (int j = 0; j < 32; j += 2) { // two columns next to each other
        int y = row + j / 2 % 2 * 8, x = column + j / 4 * 8;
        if (y < rows && x < columns)
            *reinterpret_cast<float2*>(&c[y * columns + x]) = make_float2(sums[j], sums[j + 1]);
    }
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_wgmma_bf16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<bf16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_wgmma_f16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<f16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_wgmma_tf32(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<tf32>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(threads) tensor_cores_wgmma_fp8(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<fp8>(a, b, c, rows, columns, depth);
}
