// A table of pointers, as in batched routines, and a pointer that may be null.
__global__ void pointers(float* const* rows, const float* bias, int columns)
{
    const int row = blockIdx.x;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        rows[row][i] = rows[row][i] * static_cast<float>(row + 1) + (bias ? bias[i] : 0.5f);
}
