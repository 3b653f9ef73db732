// One thread per row of a square matrix: its size is that of the vector, squared.
__global__ void matrix_vector(const float* m, const float* x, float* y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int col = 0; col < n; ++col) sum += m[row * n + col] * x[col];
    y[row] = sum;
}
