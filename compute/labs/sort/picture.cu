// Picture of the keys: eight bits of each are a pixel's brightness.
extern "C" __global__ void sort_picture(const unsigned* keys, float* shown, int count, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) shown[i] = (keys[i] >> shift & 255) / 255.0f;
}
