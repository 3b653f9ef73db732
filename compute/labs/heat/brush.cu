// The brush: a stroke of the mouse pulls the cells under it towards a temperature, most strongly in its middle.
extern "C" __global__ void heat_brush(float* cells, int width, int height,
                                      float center_x, float center_y, float radius, float temperature)
{
    // The grid covers only the square around the stroke.
    int x = (int)floorf(center_x - radius) + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)floorf(center_y - radius) + (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 0 || x >= width || y < 0 || y >= height) return;

    float dx = (x + 0.5f - center_x) / radius;
    float dy = (y + 0.5f - center_y) / radius;
    float strength = fmaxf(0.0f, 1.0f - (dx * dx + dy * dy));
    int i = y * width + x;
    cells[i] = fmaf(strength, temperature - cells[i], cells[i]);
}
