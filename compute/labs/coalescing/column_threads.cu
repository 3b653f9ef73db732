// Warp along a column: threadIdx.x runs up a column instead. x and y are swapped, the result is the same, and
// every access of a warp touches 32 rows.
extern "C" __global__ void coalescing_column_threads(const float* from, float* to, int width, int height)
{
    int y = blockIdx.y * blockDim.x + threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y;
    if (x < width && y < height) to[y * width + x] = from[y * width + x];
}
