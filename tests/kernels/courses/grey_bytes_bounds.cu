// Converts three bytes of colour to one of grey.
__global__ void toGrey(const unsigned char* rgb, unsigned char* grey, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= width && y <= height) {
        int i = y * width + x;
        float r = rgb[3 * i];
        float g = rgb[3 * i + 1];
        float b = rgb[3 * i + 2];
        grey[i] = (unsigned char)(0.30f * r + 0.59f * g + 0.11f * b);
    }
}
