// All threads store the same value: no race.
__global__ void same_value(const int* from, int* to)
{
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (from[threadIdx.x] > 90) found = 1;
    __syncthreads();
    to[threadIdx.x] = found;
}
