// CSR, eight lanes per row: four rows share a warp. Short rows leave fewer lanes without an entry than one warp per row
// does, and lanes still load neighbouring entries.
constexpr unsigned all_lanes = 0xffffffff;
constexpr int group = 8; // lanes per row

extern "C" __global__ void spmv_csr_group(const int* starts, const int* columns, const float* values,
                                          const float* x, float* y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / group;
    int lane = threadIdx.x % group;

    float sum = 0;
    if (row < rows)
        for (int i = starts[row] + lane; i < starts[row + 1]; i += group)
            sum += values[i] * x[columns[i]];
    for (int offset = group / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(all_lanes, sum, offset, group);
    if (row < rows && lane == 0) y[row] = sum;
}
