// The maximum of each block, in dynamic shared memory.
__global__ void blockMaximum(const int* data, int* largest, int n)
{
    extern __shared__ int best[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    best[t] = i < n ? data[i] : -2147483647;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) best[t] = max(best[t], best[t + s]);
        __syncthreads();
    }
    if (t == 0) largest[blockIdx.x] = best[0];
}

int main()
{
    int n = 5000;
    int *data, *largest;
    cudaMalloc(&data, n * sizeof(int));
    cudaMalloc(&largest, n * sizeof(int));
    int threads = 256;
    blockMaximum<<<(n + threads - 1) / threads, threads, threads * sizeof(int)>>>(data, largest, n);
}
