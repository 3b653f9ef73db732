// Escape times of the Mandelbrot set.
__global__ void mandelbrot(unsigned char* image, int width, int height, int maxIterations)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = -2.2f + 3.2f * px / width;
    float cy = -1.2f + 2.4f * py / height;
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y < 4.0f && n < maxIterations) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++n;
    }
    image[py * width + px] = 255 * n / maxIterations;
}
