// Letter frequencies: counted in shared memory, then added up.
__global__ void countLetters(const unsigned char* text, unsigned int* counts, int length)
{
    __shared__ unsigned int mine[26];
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += stride)
        atomicAdd(&mine[text[i] % 26], 1u);
    __syncthreads();
    if (threadIdx.x < 26)
        atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
