// Reads rows, writes columns.
__global__ void transpose(const double* matrix, double* turned, int cols, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        turned[c * cols + r] = matrix[r * cols + c];
}
