// y = A x, A in ELLPACK: K entries per row, with separate column indices.
__global__ void spmvEll(int rows, int K, const int *cols, const float *vals, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float dot = 0;
        for (int k = 0; k < K; k++) {
            int c = cols[k * rows + r];
            if (c >= 0) dot += vals[k * rows + r] * x[c];
        }
        y[r] = dot;
    }
}
