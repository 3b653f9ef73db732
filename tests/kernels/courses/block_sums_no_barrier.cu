// Each block sums its elements in shared memory, halving the active threads each round.
#define THREADS 128

__global__ void blockSums(const float* in, float* sums, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    int i = blockIdx.x * THREADS + tid;
    cache[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (tid < half)
            cache[tid] += cache[tid + half];
    }
    if (tid == 0) sums[blockIdx.x] = cache[0];
}

int main()
{
    int n = 1 << 16;
    float *in, *sums;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&sums, n / THREADS * sizeof(float));
    blockSums<<<n / THREADS, THREADS>>>(in, sums, n);
}
