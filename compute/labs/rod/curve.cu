// The rod as a curve: each vertex is above a cell, at a height given by its temperature.
extern "C" __global__ void rod_curve(const float* rod, int cells, float2* vertices, int count, float low, float high)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= count) return;
    float along = (float)v / max(count - 1, 1);
    float temperature = rod[(int)(along * (cells - 1) + 0.5f)];
    float height = 2 * (temperature - low) / (high - low) - 1;
    vertices[v] = make_float2(2 * along - 1, fminf(fmaxf(height, -1.0f), 1.0f));
}
