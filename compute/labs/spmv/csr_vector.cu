// CSR, one warp per row: the lanes take neighbouring entries of one row, which are adjacent in memory, and add up their
// sums by shuffles. A row of 8 entries leaves 24 lanes idle.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void spmv_csr_vector(const int* starts, const int* columns, const float* values,
                                           const float* x, float* y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp

    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    if (lane == 0) y[row] = sum;
}
