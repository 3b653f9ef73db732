// The plate as a landscape: each vertex is above a cell, at a height given by its temperature.
extern "C" __global__ void heat_surface(const float* cells, int width, int height,
                                        float4* vertices, int columns, int rows, float low, float high)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;

    // A large plate has more cells than the landscape has vertices: take the nearest cell.
    float across = (float)column / max(columns - 1, 1);
    float along = (float)row / max(rows - 1, 1);
    int x = (int)(across * (width - 1) + 0.5f);
    int y = (int)(along * (height - 1) + 0.5f);
    float temperature = cells[y * width + x];

    // The longer side spans -1 to 1.
    float longest = max(width, height);
    float rise = fminf(fmaxf((temperature - low) / (high - low), -1.0f), 2.0f);
    vertices[row * columns + column] = make_float4((2 * across - 1) * width / longest,
                                                   (2 * along - 1) * height / longest,
                                                   0.5f * rise, temperature);
}
