// The first kernel of all: every thread says who it is.
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
