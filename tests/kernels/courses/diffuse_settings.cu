// Diffusion with sizes and rate passed in one structure.
struct Settings {
    int width;
    int height;
    float rate;
};

__global__ void diffuse(const float* now, float* next, Settings settings)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= settings.width || y >= settings.height) return;
    int at = y * settings.width + x;
    if (x == 0 || y == 0 || x == settings.width - 1 || y == settings.height - 1) {
        next[at] = now[at];
        return;
    }
    float around = now[at - 1] + now[at + 1] + now[at - settings.width] + now[at + settings.width];
    next[at] = now[at] + settings.rate * (around - 4.0f * now[at]);
}
