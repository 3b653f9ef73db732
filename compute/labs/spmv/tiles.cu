// Tiles: a block takes 2048 consecutive entries, whatever their rows, and all their loads start at once. The products
// stay in shared memory. Each thread adds up a chunk of 8 there, so that a long row is a few chunks and its ragged ends,
// and then a row per thread; only a row that two blocks share needs an atomic.
constexpr int threads = 256;
constexpr int chunk = 8;
constexpr int tile = threads * chunk;

// first_rows[b] is the row of entry b * tile; the last element is the matrix's last row.
extern "C" __global__ void __launch_bounds__(threads)
spmv_tiles(const int* first_rows, const int* starts, const int* columns, const float* values, const float* x, float* y,
           int entries)
{
    __shared__ alignas(16) float products[tile];
    __shared__ float chunk_sums[threads];
    int begin = blockIdx.x * tile;
    int size = min(tile, entries - begin);

    int column[chunk];
    float value[chunk];
#pragma unroll
    for (int k = 0; k < chunk; ++k) {
        int i = k * threads + threadIdx.x;
        column[k] = i < size ? columns[begin + i] : 0;
        value[k] = i < size ? values[begin + i] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < chunk; ++k) products[k * threads + threadIdx.x] = value[k] * x[column[k]];
    __syncthreads();

    const float4* mine = reinterpret_cast<const float4*>(products) + 2 * threadIdx.x;
    float4 a = mine[0], b = mine[1];
    chunk_sums[threadIdx.x] = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
    __syncthreads();

    int last_row = first_rows[blockIdx.x + 1];
    for (int row = first_rows[blockIdx.x] + threadIdx.x; row <= last_row; row += threads) {
        int first = starts[row] - begin; // in the tile, if the row begins and ends here
        int last = starts[row + 1] - begin;
        unsigned i = max(first, 0);
        unsigned end = min(last, size);
        float sum = 0;
        for (; i < end && i % chunk != 0; ++i) sum += products[i];
        for (; i + chunk <= end; i += chunk) sum += chunk_sums[i / chunk];
        for (; i < end; ++i) sum += products[i];
        if (first >= 0 && last <= size)
            y[row] = sum;
        else if (first < size)
            atomicAdd(&y[row], sum);
    }
}
