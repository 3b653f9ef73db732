// A complete program as found in tutorials; its main() is not run, but shows how to launch.
#include <cstdio>
#include <cstdlib>
#define N (1 << 12)
#define THREADS_PER_BLOCK 128

__global__ void add(const int *a, const int *b, int *c, int n)
{
    int index = threadIdx.x + blockIdx.x * blockDim.x;
    if (index < n) c[index] = a[index] + b[index];
}

int main()
{
    int *a, *b, *c;
    cudaMallocManaged(&a, N * sizeof(int));
    cudaMallocManaged(&b, N * sizeof(int));
    cudaMallocManaged(&c, N * sizeof(int));
    for (int i = 0; i < N; ++i) a[i] = i, b[i] = 2 * i;
    add<<<(N + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK, THREADS_PER_BLOCK>>>(a, b, c, N);
    cudaDeviceSynchronize();
    printf("%d\n", c[N - 1]);
    return 0;
}
