// Structure of arrays: all reds, then all greens, and so on. The same brightness, but neighbouring lanes now
// read neighbouring numbers, and no byte is fetched unnecessarily.
struct Pixels {
    const float *red, *green, *blue;
};

extern "C" __global__ void coalescing_structure_of_arrays(Pixels pixels, float* brightness, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float red = pixels.red[i], green = pixels.green[i], blue = pixels.blue[i];
    brightness[i] = fmaf(0.299f, red, fmaf(0.587f, green, 0.114f * blue));
}
