// Synchronous: ask for a slice of A and B, wait for it, multiply it, ask for the next one. While a
// slice is in flight, nothing is multiplied.
constexpr int tile = 64;         // rows and columns of C that a block computes
constexpr int slice = 16;        // columns of A and rows of B that it multiplies at a time
constexpr int threads = 256;     // each has 4 × 4 elements of C
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

template <bool drawn>
__device__ void product(const float* a, const float* b, float* c, int size, int* cells)
{
    __shared__ __align__(16) float a_slice[tile][slice];
    __shared__ __align__(16) float b_slice[slice][tile];

    int a_row = threadIdx.x / 4, a_k = threadIdx.x % 4 * 4;      // four elements of A's slice
    int b_k = threadIdx.x / 16, b_column = threadIdx.x % 16 * 4; // four elements of B's slice
    a += (blockIdx.y * tile + a_row) * size + a_k;
    b += b_k * size + blockIdx.x * tile + b_column;

    Phases<drawn> phases{cells};
    float sums[4][4] = {};
    for (int i = 0; i < size / slice; ++i) {
        phases.asks_for(i);
        float4 from_a = *reinterpret_cast<const float4*>(a + i * slice);
        float4 from_b = *reinterpret_cast<const float4*>(b + i * slice * size);
        phases.begins(-1);
        *reinterpret_cast<float4*>(&a_slice[a_row][a_k]) = from_a; // waits for the loads
        *reinterpret_cast<float4*>(&b_slice[b_k][b_column]) = from_b;
        __syncthreads(); // the slice is complete
        phases.has(i);
        phases.begins(i);
        multiply(sums, a_slice, b_slice);
        __syncthreads(); // all threads are done with it
    }
    store(c, sums, size);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_synchronous(const float* a, const float* b, float* c, int size)
{
    product<false>(a, b, c, size, nullptr);
}

extern "C" __global__ void __launch_bounds__(threads)
pipelines_phases(const float* a, const float* b, float* c, int size, int* cells)
{
    product<true>(a, b, c, size, cells);
}
