// COO: one thread per matrix entry, which stores its row and column. No lane idles, whatever the rows' lengths, but all
// entries of a row add to the same address, one after the other.
extern "C" __global__ void spmv_coo(const int* rows, const int* columns, const float* values,
                                    const float* x, float* y, int entries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}
