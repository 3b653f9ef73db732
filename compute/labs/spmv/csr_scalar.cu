// CSR, one thread per row: the row begins at entry starts[row], so that a thread can sum it in a register. A warp takes
// as long as the longest of its 32 rows, and its lanes load from 32 distant addresses.
extern "C" __global__ void spmv_csr_scalar(const int* starts, const int* columns, const float* values,
                                           const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
