// Softmax of each row, one block per row.
#define THREADS 128
__global__ void softmax(const float *in, float *out, int rows, int cols)
{
    __shared__ float red[THREADS];
    int row = blockIdx.x;
    int t = threadIdx.x;
    if (row >= rows) return;
    float m = -1e30f;
    for (int c = t; c < cols; c += blockDim.x) m = fmaxf(m, in[row * cols + c]);
    red[t] = m;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) red[t] = fmaxf(red[t], red[t + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0;
    for (int c = t; c < cols; c += blockDim.x) sum += expf(in[row * cols + c] - m);
    red[t] = sum;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) red[t] += red[t + s];
        __syncthreads();
    }
    for (int c = t; c < cols; c += blockDim.x) out[row * cols + c] = expf(in[row * cols + c] - m) / red[0];
}
int main()
{
    int rows = 64, cols = 1000;
    float *in, *out;
    cudaMallocManaged(&in, rows * cols * sizeof(float));
    cudaMallocManaged(&out, rows * cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) in[i] = i % 7;
    softmax<<<rows, THREADS>>>(in, out, rows, cols);
    cudaDeviceSynchronize();
}
