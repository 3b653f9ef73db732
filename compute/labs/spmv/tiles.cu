// Tiles: a block takes 2048 consecutive entries, whatever their rows, and all their loads start at once. The products
// stay in shared memory, where four lanes add up each row; only a row that two blocks share needs an atomic.
constexpr int threads = 256;
constexpr int tile = 2048;
constexpr int group = 4; // lanes per row
constexpr unsigned all_lanes = 0xffffffff;

// first_rows[b] is the row of entry b * tile; the last element is the matrix's last row.
extern "C" __global__ void spmv_tiles(const int* first_rows, const int* starts, const int* columns, const float* values,
                                      const float* x, float* y, int entries)
{
    __shared__ float products[tile];
    int begin = blockIdx.x * tile;
    int end = min(begin + tile, entries);
    int row = first_rows[blockIdx.x] + threadIdx.x / group;
    int last_row = first_rows[blockIdx.x + 1];

#pragma unroll
    for (int k = 0; k < tile; k += threads) {
        int i = begin + k + threadIdx.x;
        if (i < end) products[k + threadIdx.x] = values[i] * x[columns[i]];
    }
    __syncthreads();

    int lane = threadIdx.x % group;
    int warp_row = row - threadIdx.x % 32 / group; // of the warp's first lane
    for (; warp_row <= last_row; warp_row += threads / group, row += threads / group) {
        float sum = 0;
        int first = end, last = end; // this row's entries in this tile
        bool is_whole = false;
        if (row <= last_row) {
            first = max(starts[row], begin);
            last = min(starts[row + 1], end);
            is_whole = first == starts[row] && last == starts[row + 1];
        }
        for (int i = first + lane; i < last; i += group) sum += products[i - begin];
        for (int offset = group / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset, group);
        if (lane == 0 && first < last) {
            if (is_whole)
                y[row] = sum;
            else
                atomicAdd(&y[row], sum);
        }
    }
}
