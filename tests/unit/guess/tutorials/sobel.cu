__global__ void sobel(const unsigned char *src, unsigned char *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int gx = -src[(y - 1) * w + x - 1] + src[(y - 1) * w + x + 1] - 2 * src[y * w + x - 1] +
             2 * src[y * w + x + 1] - src[(y + 1) * w + x - 1] + src[(y + 1) * w + x + 1];
    int gy = src[(y - 1) * w + x - 1] + 2 * src[(y - 1) * w + x] + src[(y - 1) * w + x + 1] -
             src[(y + 1) * w + x - 1] - 2 * src[(y + 1) * w + x] - src[(y + 1) * w + x + 1];
    dst[y * w + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}
