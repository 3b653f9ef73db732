// Picture of the pixels: red, green and blue from 0 to 1 become bytes.
extern "C" __global__ void circles_picture(const float4* pixels, cudaSurfaceObject_t picture, int width,
                                           int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float4 pixel = pixels[y * width + x];
    uchar4 bytes = make_uchar4(255 * pixel.x + 0.5f, 255 * pixel.y + 0.5f, 255 * pixel.z + 0.5f, 255);
    surf2Dwrite(bytes, picture, x * sizeof(uchar4), y); // surfaces count x in bytes
}
