// Heights from above, read from what OpenGL has: its vertices, or the levels of its texture.
extern "C" __global__ void sharing_heights(const float4* vertices, float* shown, int size)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < size && row < size) shown[row * size + column] = vertices[row * size + column].z;
}

extern "C" __global__ void sharing_levels(cudaSurfaceObject_t surface, float* shown, int size)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;
    uchar4 texel = surf2Dread<uchar4>(surface, column * sizeof(uchar4), row);
    shown[row * size + column] = texel.x / 255.0f;
}
