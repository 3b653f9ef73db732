// Unpitched: the rows of the matrices follow each other without a gap. With 1023 columns each row starts 4
// bytes earlier in its sector than the previous one, and most warps touch five sectors instead of four.
extern "C" __global__ void coalescing_unpitched(const float* a, const float* b, float* sum, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    sum[i] = a[i] + b[i];
}
