// Keeps positive elements; a global counter assigns their positions.
__device__ int counter;
__global__ void keepPositive(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(&counter, 1)] = in[i];
}
int main()
{
    const int n = 2000;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    keepPositive<<<(n + 255) / 256, 256>>>(a, b, n);
}
