// Beyond: the guard is missing.
extern "C" __global__ void beyond(const unsigned* from, unsigned* to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i + 1000000];
}
