// An 8-bit picture read as a texture, converted to grey and written to a surface.
__global__ void picture(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uchar4 c = tex2D<uchar4>(from, x + 0.5f, y + 0.5f);
    const unsigned char grey = static_cast<unsigned char>((c.x * 77 + c.y * 150 + c.z * 29) >> 8);
    surf2Dwrite(make_uchar4(grey, grey, grey, 255), to, x * 4, y);
}
