// A thread per pixel: it goes through all circles in order, the lowest first, and keeps its colour in registers. No other
// thread writes this pixel, so nothing can get out of order. Most circles are tested in vain.
extern "C" __global__ void circles_per_pixel(const float4* circles, float4* pixels, int count,
                                             int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float4 pixel = make_float4(0, 0, 0, 0);
    for (int i = 0; i < count; ++i) {
        float4 disc = circles[2 * i]; // x, y, radius, opacity
        float dx = x + 0.5f - disc.x;
        float dy = y + 0.5f - disc.y;
        if (fmaf(dx, dx, dy * dy) > disc.z * disc.z) continue;
        float4 colour = circles[2 * i + 1];
        pixel.x = fmaf(disc.w, colour.x - pixel.x, pixel.x);
        pixel.y = fmaf(disc.w, colour.y - pixel.y, pixel.y);
        pixel.z = fmaf(disc.w, colour.z - pixel.z, pixel.z);
    }
    pixels[y * width + x] = pixel;
}
