// The first kernel of all: every thread prints its index.
#include <cstdio>

__global__ void hello()
{
    printf("block %d, thread %d\n", blockIdx.x, threadIdx.x);
}

int main()
{
    hello<<<2, 4>>>();
    cudaDeviceSynchronize();
}
