// Two steps of a stencil in one launch: a barrier of the block does not wait for the neighbouring blocks.
extern "C" __global__ void two_steps(const int* from, int* between, int* to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = max(i - 1, 0), right = min(i + 1, count - 1);
    between[i] = from[left] + from[right];
    __syncthreads();
    to[i] = between[left] + between[right];
}

// One block takes all elements.
extern "C" __global__ void two_steps_of_one_block(const int* from, int* between, int* to, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x) between[i] = from[max(i - 1, 0)] + from[min(i + 1, count - 1)];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = between[max(i - 1, 0)] + between[min(i + 1, count - 1)];
}
