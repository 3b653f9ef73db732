// One store: a thread computes its vertex and stores it as 16 bytes. The array is the vertex buffer that OpenGL draws from;
// nothing is copied.
extern "C" __global__ void waves_one_store(float4* vertices, int width, int height, float k, float peak,
                                           float time)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float longest = max(width, height) - 1;
    float x = (2 * column - width + 1) / longest; // the longer side is from -1 to 1
    float y = (2 * row - height + 1) / longest;
    float square = x * x + y * y;
    float z = peak * cosf(k * sqrtf(square) - time) / (1 + 3 * square);
    vertices[row * width + column] = make_float4(x, y, z, z); // z again, for the colour
}
