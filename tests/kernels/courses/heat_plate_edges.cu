// Heat in a plate whose edges keep their temperature.
__global__ void heatStep(const float* now, float* next, int nx, int ny, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int i = y * nx + x;
    if (x > 0 && x < nx - 1)
        next[i] = now[i] + k * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4 * now[i]);
    else
        next[i] = now[i];
}
