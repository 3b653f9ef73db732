// Two launches: the first stores heights, as a simulation does, the second reads them back to make vertices.
extern "C" __global__ void waves_heights(float* heights, int width, int height, float k, float peak,
                                         float time)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float longest = max(width, height) - 1;
    float x = (2 * column - width + 1) / longest; // the longer side is from -1 to 1
    float y = (2 * row - height + 1) / longest;
    float square = x * x + y * y;
    heights[row * width + column] = peak * cosf(k * sqrtf(square) - time) / (1 + 3 * square);
}

extern "C" __global__ void waves_vertices(const float* heights, float4* vertices, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float longest = max(width, height) - 1;
    float x = (2 * column - width + 1) / longest;
    float y = (2 * row - height + 1) / longest;
    float z = heights[row * width + column];
    vertices[row * width + column] = make_float4(x, y, z, z); // z again, for the colour
}
