// Conway's game of life on a torus.
__global__ void lifeStep(const unsigned char* cells, unsigned char* next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            int nx = (x + dx + width) % width;
            int ny = (y + dy + height) % height;
            alive += cells[ny * width + nx];
        }
    next[y * width + x] = alive == 3 || (alive == 2 && cells[y * width + x]);
}
