// Warp along a row: threadIdx.x runs along a row. Lanes are numbered by x first, so a warp is part of a row.
extern "C" __global__ void coalescing_row_threads(const float* from, float* to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) to[y * width + x] = from[y * width + x];
}
