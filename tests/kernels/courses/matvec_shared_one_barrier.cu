// Matrix times vector, staged in shared memory; main sizes allocations by the numbers of rows and columns.
#define BLOCK 64
__global__ void matvec(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[BLOCK];
    int row = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += BLOCK) {
        xs[threadIdx.x] = k + threadIdx.x < n ? x[k + threadIdx.x] : 0;
        __syncthreads();
        if (row < m)
            for (int j = 0; j < BLOCK && k + j < n; j++) sum += A[row * n + k + j] * xs[j];
    }
    if (row < m) y[row] = sum;
}
int main()
{
    int m = 300, n = 200;
    float *A, *x, *y;
    cudaMalloc(&A, m * n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, m * sizeof(float));
    matvec<<<(m + BLOCK - 1) / BLOCK, BLOCK>>>(A, x, y, m, n);
}
