// Picture of the mesh from above: the height of each vertex.
extern "C" __global__ void waves_picture(const float4* vertices, float* shown, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) shown[row * width + column] = vertices[row * width + column].z;
}
