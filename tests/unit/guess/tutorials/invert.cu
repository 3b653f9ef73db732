__global__ void invert(uchar4 *image, int numPixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numPixels) return;
    uchar4 p = image[i];
    image[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
}
