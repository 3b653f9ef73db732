// Writes b transposed, for the rung that reads it this way.
extern "C" __global__ void min_plus_transposed(const float* b, float* transposed, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (k < n && j < n) transposed[j * n + k] = b[k * n + j];
}
