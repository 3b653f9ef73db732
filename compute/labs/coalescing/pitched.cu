// Pitched: each row is padded so that the next one starts at a multiple of 128 bytes. The padding is never
// accessed; it only aligns the rows for warps.
extern "C" __global__ void coalescing_pitched(const float* a, const float* b, float* sum,
                                              int width, int height, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * pitch + x;
    sum[i] = a[i] + b[i];
}
