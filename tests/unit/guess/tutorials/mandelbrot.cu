__global__ void mandelbrot(int *iterations, int width, int height, float xmin, float xmax, float ymin,
                           float ymax, int max_iter)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cr = xmin + (xmax - xmin) * px / width;
    float ci = ymin + (ymax - ymin) * py / height;
    float zr = 0, zi = 0;
    int n = 0;
    while (n < max_iter && zr * zr + zi * zi < 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        n++;
    }
    iterations[py * width + px] = n;
}
