// The brush: a stroke of the mouse pulls the cells under it towards a temperature, most strongly in its middle. Positions
// count from the stroke's first cell: on a long rod single precision couldn't tell neighbours apart.
extern "C" __global__ void rod_brush(float* rod, int cells, int first, float center, float radius, float temperature)
{
    int offset = blockIdx.x * blockDim.x + threadIdx.x; // the grid covers only the stroke
    int i = first + offset;
    if (i < 0 || i >= cells) return;

    float distance = (offset + 0.5f - center) / radius;
    float strength = fmaxf(0.0f, 1.0f - distance * distance);
    rod[i] = fmaf(strength, temperature - rod[i], rod[i]);
}
