// Pipeline: warp groups with different jobs. One thread of the first group copies slices, up to four ahead; the
// other two groups only multiply. Two mbarriers per buffer make them wait for each other: full and empty. Needs
// compute capability 9.0.
constexpr int bf16 = 0, f16 = 1, tf32 = 2, fp8 = 3;
constexpr int tile_rows = 128, tile_columns = 256; // of C, for a block
constexpr int slice = 128;  // bytes of a row of A or B per step: 64 numbers of 16 bits
constexpr int stages = 4;   // buffers for slices
constexpr int a_bytes = tile_rows * slice, b_bytes = tile_columns * slice, stage_bytes = a_bytes + b_bytes;
constexpr int group = 128;  // threads
constexpr int band = 16;    // rows of tiles computed at about the same time, so that their slices stay in L2

struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

__device__ unsigned address(const void* in_shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

__device__ void init(unsigned barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Waits until the phase with this parity is complete.
__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}"
                 ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and announces the bytes that copies will bring in this phase.
__device__ void expect(unsigned barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Copies 128 rows of a slice, swizzled.
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
#define THIRTY_TWO(i) EIGHT(i), EIGHT(i + 8), EIGHT(i + 16), EIGHT(i + 24)
#define WGMMA(kind, orders) \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\nwgmma.mma_async.sync.aligned." kind " {" \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127" \
        "}, %128, %129, adds, 1, 1" orders ";\n}" \
        : THIRTY_TWO(0), THIRTY_TWO(32), THIRTY_TWO(64), THIRTY_TWO(96) : "l"(a), "l"(b), "r"(adds))

// c = a * b, or c += a * b: 64 rows of A, 256 columns of B, 32 bytes along k; 128 sums for each thread of the group.
template <int precision>
__device__ void multiply(float (&c)[128], unsigned long long a, unsigned long long b, int adds)
{
    if constexpr (precision == bf16) WGMMA("m64n256k16.f32.bf16.bf16", ", 0, 0");
    if constexpr (precision == f16) WGMMA("m64n256k16.f32.f16.f16", ", 0, 0");
    if constexpr (precision == tf32) WGMMA("m64n256k8.f32.tf32.tf32", "");
    if constexpr (precision == fp8) WGMMA("m64n256k32.f32.e4m3.e4m3", "");
}

// Tile number `i` of C: `down` x `across` tiles in bands.
__device__ int2 place(int i, int down, int across)
{
    int above = i / (band * across) * band; // rows of tiles in earlier bands
    int height = min(band, down - above);
    i -= above * across;
    return make_int2(i / height * tile_columns, (above + i % height) * tile_rows);
}

// Stores the sums of a thread: in every eighth column from `column` and the one beside it, in two rows.
__device__ void store(float* c, const float (&sums)[128], int row, int column, int rows, int columns)
{
    for (int j = 0; j < 128; j += 2) {
        int y = row + j / 2 % 2 * 8, x = column + j / 4 * 8;
        if (y < rows && x < columns)
            *reinterpret_cast<float2*>(&c[y * columns + x]) = make_float2(sums[j], sums[j + 1]);
    }
}

template <int precision, class Sum>
__device__ void product(const TensorMap& a, const TensorMap& b, Sum* c, int rows, int columns, int depth)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ __align__(8) unsigned long long full[stages], empty[stages];
    constexpr int slice_numbers = precision == tf32 ? slice / 4 : precision == fp8 ? slice : slice / 2;
    int down = (rows + tile_rows - 1) / tile_rows, across = (columns + tile_columns - 1) / tile_columns;
    int slices = (depth + slice_numbers - 1) / slice_numbers;

    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) {
            init(address(&full[i]), 1);  // the thread that copies
            init(address(&empty[i]), 8); // the warps that multiply
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    int stage = 0, parity = 0;
    if (threadIdx.x < group) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x != 0) return;
        for (int i = blockIdx.x; i < down * across; i += gridDim.x) {
            int2 at = place(i, down, across);
            for (int s = 0; s < slices; ++s) {
                unsigned to = address(tiles) + stage * stage_bytes, ready = address(&full[stage]);
                wait(address(&empty[stage]), parity ^ 1);
                expect(ready, stage_bytes);
                copy(to, a, s * slice_numbers, at.y, ready);
                copy(to + a_bytes, b, s * slice_numbers, at.x, ready);
                copy(to + a_bytes + b_bytes / 2, b, s * slice_numbers, at.x + tile_columns / 2, ready);
                if (++stage == stages) stage = 0, parity ^= 1;
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int consumer = threadIdx.x / group - 1, t = threadIdx.x % group;
    for (int i = blockIdx.x; i < down * across; i += gridDim.x) {
        float sums[128];
        int before = 0; // the buffer that wgmma may still read
        for (int s = 0; s < slices; ++s) {
            unsigned from = address(tiles) + stage * stage_bytes;
            unsigned long long left = descriptor(from + consumer * a_bytes / 2), right = descriptor(from + a_bytes);
            wait(address(&full[stage]), parity);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int step = 0; step < slice / 32; ++step)
                multiply<precision>(sums, left + 2 * step, right + 2 * step, s + step > 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The products of the slice before are complete.
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (s > 0 && t % 32 == 0) arrive(address(&empty[before]));
            before = stage;
            if (++stage == stages) stage = 0, parity ^= 1;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (t % 32 == 0) arrive(address(&empty[before]));

        int2 at = place(i, down, across);
        int row = at.y + consumer * 64 + t / 32 * 16 + t % 32 / 4, column = at.x + t % 4 * 2;
        store(c, sums, row, column, rows, columns);
    }
}

extern "C" __global__ void __launch_bounds__(3 * group) tensor_cores_pipeline_bf16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<bf16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) tensor_cores_pipeline_f16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<f16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) tensor_cores_pipeline_tf32(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<tf32>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) tensor_cores_pipeline_fp8(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<fp8>(a, b, c, rows, columns, depth);
}
