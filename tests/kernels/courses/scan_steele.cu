// An inclusive scan of one block, alternating between two halves of shared memory.
#define N 256

__global__ void scanBlock(const int* in, int* out)
{
    __shared__ int buffer[2][N];
    int t = threadIdx.x;
    int from = 0;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        int to = 1 - from;
        buffer[to][t] = t >= d ? buffer[from][t] + buffer[from][t - d] : buffer[from][t];
        from = to;
        __syncthreads();
    }
    out[t] = buffer[from][t];
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, N * sizeof(int));
    cudaMalloc(&out, N * sizeof(int));
    scanBlock<<<1, N>>>(in, out);
}
