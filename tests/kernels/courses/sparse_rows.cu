// A CSR matrix times a vector: one thread per row.
__global__ void spmv(const int* rowStart, const int* columns, const float* values, const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = rowStart[row]; j < rowStart[row + 1]; ++j) sum += values[j] * x[columns[j]];
        y[row] = sum;
    }
}
