// COO: a thread per entry of the matrix, which knows its row and its column. No lane idles,
// whatever the lengths of the rows, but all entries of a row add to the same place in memory, one
// after the other.
extern "C" __global__ void spmv_coo(const int* rows, const int* columns, const float* values,
                                    const float* x, float* y, int entries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}
