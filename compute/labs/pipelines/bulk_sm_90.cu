// Bulk copies: one instruction of one thread copies a whole row. A barrier in shared memory counts
// the bytes that have arrived, and threads wait for its round instead of for copies of their own.
constexpr int tile = 64;         // rows and columns of C that a block computes
constexpr int slice = 16;        // columns of A and rows of B that it multiplies at a time
constexpr int threads = 256;     // each has 4 × 4 elements of C
constexpr int stages = 4;
constexpr int phases = 10;       // drawn for the first thread of the first block

// The slice that each phase multiplies, and those in flight: asked for, not yet waited for.
template <bool drawn>
struct Phases {
    int* cells;
    int phase = 0, first = 0, end = 0; // slices first … end - 1 are in flight

    __device__ void show(int row, int slice) // -1: none
    {
        int cell = row * phases + phase;
        cells[2 * cell] = slice < 0 ? -1 : cell;
        cells[2 * cell + 1] = slice;
    }
    __device__ void asks_for(int slice) { end = slice + 1; }
    __device__ void has(int slice) { first = slice + 1; }
    __device__ void begins(int multiplied)
    {
        if constexpr (drawn) {
            if (threadIdx.x + blockIdx.x + blockIdx.y > 0 || phase == phases) return;
            for (int row = 0; row < 4; ++row) show(row, first + row < end ? first + row : -1);
            show(4, multiplied);
            ++phase;
        }
    }
};

// Adds the products of one slice to the thread's 4 × 4 sums.
__device__ void multiply(float (&sums)[4][4], const float (*a)[slice], const float (*b)[tile])
{
    int row = threadIdx.x / 16, column = threadIdx.x % 16 * 4;
    for (int k = 0; k < slice; ++k) {
        float4 right = *reinterpret_cast<const float4*>(&b[k][column]);
        for (int r = 0; r < 4; ++r) {
            float left = a[row + 16 * r][k];
            sums[r][0] += left * right.x;
            sums[r][1] += left * right.y;
            sums[r][2] += left * right.z;
            sums[r][3] += left * right.w;
        }
    }
}

__device__ void store(float* c, const float (&sums)[4][4], int size)
{
    int row = blockIdx.y * tile + threadIdx.x / 16;
    int column = blockIdx.x * tile + threadIdx.x % 16 * 4;
    for (int r = 0; r < 4; ++r)
        *reinterpret_cast<float4*>(c + (row + 16 * r) * size + column) =
            make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
}

__device__ unsigned shared(const void* at)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

__device__ void set_up(unsigned long long* barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(arrivals));
}

__device__ void arrive_and_expect(unsigned long long* barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)),
                 "r"(bytes)
                 : "memory");
}

// Waits for the end of the barrier's round 0, 1, 2, …
__device__ void wait(unsigned long long* barrier, int round)
{
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.s32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared(barrier)), "r"(round & 1)
                     : "memory");
}

// One thread starts the copy of a whole row; its bytes are counted at the barrier.
__device__ void copy_row(float* to, const float* from, int bytes, unsigned long long* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(barrier))
                 : "memory");
}

template <bool drawn>
__device__ void product(const float* a, const float* b, float* c, int size, int* cells)
{
    extern __shared__ __align__(16) float buffers[];
    auto a_slices = reinterpret_cast<float(*)[tile][slice]>(buffers);
    auto b_slices = reinterpret_cast<float(*)[slice][tile]>(buffers + stages * tile * slice);
    __shared__ __align__(8) unsigned long long full[stages];

    a += blockIdx.y * tile * size;
    b += blockIdx.x * tile;
    Phases<drawn> phases{cells};
    int slices = size / slice;
    auto ask_for = [&](int i) { // by the first warp: a lane copies two rows of A and maybe one of B
        if (threadIdx.x >= 32 || i >= slices) return;
        phases.asks_for(i);
        int lane = threadIdx.x, at = i % stages;
        if (lane == 0) arrive_and_expect(&full[at], 2 * tile * slice * sizeof(float));
        __syncwarp();
        for (int row = lane; row < tile; row += 32)
            copy_row(a_slices[at][row], a + row * size + i * slice, slice * 4, &full[at]);
        if (lane < slice)
            copy_row(b_slices[at][lane], b + (i * slice + lane) * size, tile * 4, &full[at]);
    };

    if (threadIdx.x == 0) {
        for (int at = 0; at < stages; ++at) set_up(&full[at], 1); // one arrival per round
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // copies see the barriers, too
    }
    __syncthreads();
    float sums[4][4] = {};
    for (int i = 0; i < stages - 1; ++i) ask_for(i);
    __syncthreads();
    phases.begins(-1);
    for (int i = 0; i < slices; ++i) {
        wait(&full[i % stages], i / stages);
        phases.has(i);
        __syncthreads();         // all threads are done with slice i - 1
        ask_for(i + stages - 1); // into its buffer
        phases.begins(i);
        multiply(sums, a_slices[i % stages], b_slices[i % stages]);
    }
    store(c, sums, size);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_bulk(const float* a, const float* b, float* c, int size)
{
    product<false>(a, b, c, size, nullptr);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_phases(const float* a, const float* b, float* c, int size, int* cells)
{
    product<true>(a, b, c, size, cells);
}
