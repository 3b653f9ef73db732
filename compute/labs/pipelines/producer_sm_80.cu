// Producer and consumers: one warp only copies, the others only multiply. They meet at two barriers
// per buffer, "full" and "empty": where one side arrives without waiting, the other waits.
#include <cuda_pipeline.h>

constexpr int tile = 64;         // rows and columns of C that a block computes
constexpr int slice = 16;        // columns of A and rows of B that it multiplies at a time
constexpr int consumers = 256;   // threads; each has 4 × 4 elements of C
constexpr int threads = consumers + 32;
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

// Barriers 1 to 8 of the block. The sides have 32 and 256 threads: together all.
__device__ int full(int at) { return 1 + at; }
__device__ int empty(int at) { return 1 + stages + at; }
__device__ void wait(int barrier)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}
__device__ void arrive(int barrier) // does not wait
{
    asm volatile("barrier.arrive %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}

template <bool drawn>
__device__ void product(const float* a, const float* b, float* c, int size, int* cells)
{
    extern __shared__ __align__(16) float buffers[];
    auto a_slices = reinterpret_cast<float(*)[tile][slice]>(buffers);
    auto b_slices = reinterpret_cast<float(*)[slice][tile]>(buffers + stages * tile * slice);
    __shared__ int asked_for; // the last slice, for the drawing
    if (drawn) {
        asked_for = -1;
        __syncthreads();
    }

    int slices = size / slice;
    if (threadIdx.x >= consumers) {
        constexpr int ahead = stages - 1;
        int lane = threadIdx.x - consumers;
        a += blockIdx.y * tile * size;
        b += blockIdx.x * tile;
        for (int i = 0; i < slices + ahead; ++i) {
            int at = i % stages;
            if (i < slices) {
                if (i >= stages) wait(empty(at));
                if (drawn && lane == 0) atomicMax(&asked_for, i);
                for (int four = lane; four < tile * slice / 4; four += 32) {
                    int row = four / 4, column = four % 4 * 4; // in A's slice
                    __pipeline_memcpy_async(&a_slices[at][row][column],
                                            a + row * size + i * slice + column, 16);
                    row = four / 16, column = four % 16 * 4; // in B's slice
                    __pipeline_memcpy_async(&b_slices[at][row][column],
                                            b + (i * slice + row) * size + column, 16);
                }
            }
            __pipeline_commit();
            if (i < ahead) continue;
            __pipeline_wait_prior(ahead); // slice i - ahead is here
            arrive(full((i - ahead) % stages));
        }
        return;
    }

    Phases<drawn> phases{cells};
    float sums[4][4] = {};
    for (int i = 0; i < slices; ++i) {
        int at = i % stages;
        wait(full(at));
        if (drawn) phases.asks_for(atomicAdd(&asked_for, 0));
        phases.has(i);
        phases.begins(i);
        multiply(sums, a_slices[at], b_slices[at]);
        if (i + stages < slices) arrive(empty(at));
    }
    store(c, sums, size);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_producer(const float* a, const float* b, float* c, int size)
{
    product<false>(a, b, c, size, nullptr);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_phases(const float* a, const float* b, float* c, int size, int* cells)
{
    product<true>(a, b, c, size, cells);
}
