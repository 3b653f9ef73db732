// Multicast: the pipeline of the lab Tensor cores in clusters of two blocks, one below the other, which need
// the same columns of B. Each block copies half of them into the shared memory of both, so that L2 delivers a
// third less. A buffer is empty when the warps of both have released it. Needs compute capability 9.0.
constexpr int bf16 = 0, f16 = 1, tf32 = 2, fp8 = 3;
constexpr int tile_rows = 128, tile_columns = 256; // of C, for a block
constexpr int slice = 128;  // bytes of a row of A or B per step: 64 numbers of 16 bits
constexpr int stages = 4;   // buffers for slices
constexpr int a_bytes = tile_rows * slice, b_bytes = tile_columns * slice, stage_bytes = a_bytes + b_bytes;
constexpr int group = 128;  // threads
constexpr int band = 8;     // pairs of tiles, one below the other, computed at about the same time, so that their slices stay in L2

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

// Arrives at the same mbarrier of the block with this rank. Only wgmma has read the buffer, and that is complete, so
// that nothing must become visible to the whole cluster (.release.cluster): that would cost a fence each time.
__device__ void arrive(unsigned barrier, int rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier), "r"(rank) : "memory");
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

// The same into both blocks; each block's copy counts at its own mbarrier.
__device__ void copy_to_both(unsigned to, const TensorMap& from, int k, int row, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(to), "l"(&from), "r"(k), "r"(row), "r"(barrier), "h"(static_cast<short>(0b11)) : "memory");
}

__device__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
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

// Pair number `i` of the tiles of C: `down` x `across` pairs in bands.
__device__ int2 place(int i, int down, int across)
{
    int above = i / (band * across) * band; // rows of pairs in earlier bands
    int height = min(band, down - above);
    i -= above * across;
    return make_int2(i / height * tile_columns, (above + i % height) * 2 * tile_rows);
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
    int down = (rows + 2 * tile_rows - 1) / (2 * tile_rows), across = (columns + tile_columns - 1) / tile_columns;
    int slices = (depth + slice_numbers - 1) / slice_numbers;
    int rank = blockIdx.x % 2, first = blockIdx.x / 2, clusters = gridDim.x / 2;

    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) {
            init(address(&full[i]), 1);   // the thread that copies
            init(address(&empty[i]), 16); // the warps that multiply, of both blocks
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();

    int stage = 0, parity = 0;
    if (threadIdx.x < group) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int i = first; i < down * across; i += clusters) {
                int2 at = place(i, down, across);
                for (int s = 0; s < slices; ++s) {
                    unsigned to = address(tiles) + stage * stage_bytes, ready = address(&full[stage]);
                    wait(address(&empty[stage]), parity ^ 1);
                    expect(ready, stage_bytes);
                    copy(to, a, s * slice_numbers, at.y + rank * tile_rows, ready);
                    copy_to_both(to + a_bytes + rank * b_bytes / 2, b, s * slice_numbers, at.x + rank * tile_columns / 2, ready);
                    if (++stage == stages) stage = 0, parity ^= 1;
                }
            }
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int consumer = threadIdx.x / group - 1, t = threadIdx.x % group;
        for (int i = first; i < down * across; i += clusters) {
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
                if (s > 0 && t % 32 < 2) arrive(address(&empty[before]), t % 32);
                before = stage;
                if (++stage == stages) stage = 0, parity ^= 1;
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (t % 32 < 2) arrive(address(&empty[before]), t % 32);

            int2 at = place(i, down, across);
            int row = at.y + rank * tile_rows + consumer * 64 + t / 32 * 16 + t % 32 / 4, column = at.x + t % 4 * 2;
            store(c, sums, row, column, rows, columns);
            __syncwarp();
        }
    }
    sync_cluster(); // the other block may still copy to this one, or arrive here
}

extern "C" __global__ void __launch_bounds__(3 * group) __cluster_dims__(2) tensor_cores_multicast_bf16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<bf16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) __cluster_dims__(2) tensor_cores_multicast_f16(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<f16>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) __cluster_dims__(2) tensor_cores_multicast_tf32(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<tf32>(a, b, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(3 * group) __cluster_dims__(2) tensor_cores_multicast_fp8(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth)
{
    product<fp8>(a, b, c, rows, columns, depth);
}
