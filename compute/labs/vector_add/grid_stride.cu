// Grid-stride: a grid of any size steps through the vectors by its number of threads. Lanes still read neighbours.
extern "C" __global__ void vector_add_grid_stride(const float* a, const float* b, float* sum, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) sum[i] = a[i] + b[i];
}
