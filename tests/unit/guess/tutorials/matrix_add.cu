__global__ void MatAdd(float *A, float *B, float *C, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < width && row < height) {
        int i = row * width + col;
        C[i] = A[i] + B[i];
    }
}
