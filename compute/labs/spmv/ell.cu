// ELL: all rows are padded to the longest one and stored column by column, so that a warp's lanes load neighbours and
// never diverge. The padding is zeros, which are loaded and added, too.
extern "C" __global__ void spmv_ell(const int* columns, const float* values,
                                    const float* x, float* y, int rows, int longest)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int k = 0; k < longest; ++k) {
        int i = k * rows + row;
        sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
}
