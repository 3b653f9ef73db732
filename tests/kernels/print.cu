// printf in a kernel.
#include <cstdio>

__global__ void print(int* out)
{
    if (threadIdx.x % 16 == 0) printf("{ thread %d says \"%s\", %.2f\n", threadIdx.x, "hello", 0.5 * threadIdx.x);
    out[threadIdx.x] = threadIdx.x * 3;
}
