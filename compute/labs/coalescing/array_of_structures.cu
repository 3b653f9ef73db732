// Array of structures: a pixel's eight numbers are adjacent, and brightness needs three of them. Neighbouring
// lanes are 32 bytes apart, so each of the three loads touches 32 sectors.
struct Pixel {
    float red, green, blue, alpha;
    float depth, normal_x, normal_y, normal_z;
};

extern "C" __global__ void coalescing_array_of_structures(const Pixel* pixels, float* brightness, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float red = pixels[i].red, green = pixels[i].green, blue = pixels[i].blue;
    brightness[i] = fmaf(0.299f, red, fmaf(0.587f, green, 0.114f * blue));
}
