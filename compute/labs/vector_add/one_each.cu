// One element per thread: as many threads as elements, and a guard for the surplus threads of the last block.
extern "C" __global__ void vector_add_one_each(const float* a, const float* b, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}
