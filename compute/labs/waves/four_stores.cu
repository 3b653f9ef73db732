// Four stores: the numbers of a vertex are stored one by one. Neighbouring lanes store 16 bytes apart, so each of the four
// stores touches all sectors of 32 vertices.
extern "C" __global__ void waves_four_stores(float* vertices, int width, int height, float k, float peak,
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

    int first = 4 * (row * width + column);
    vertices[first] = x;
    vertices[first + 1] = y;
    vertices[first + 2] = z;
    vertices[first + 3] = z; // for the colour
}
