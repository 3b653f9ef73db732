// A thread per circle: it loads a pixel, blends its colour and stores it. Another thread may do the same in between, and
// then one of the two circles is lost. No thread waits for the circles below its own.
extern "C" __global__ void circles_per_circle(const float4* circles, float4* pixels, int count,
                                              int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 disc = circles[2 * i]; // x, y, radius, opacity
    float4 colour = circles[2 * i + 1];

    int left = max((int)(disc.x - disc.z), 0);
    int right = min((int)(disc.x + disc.z), width - 1);
    int top = min((int)(disc.y + disc.z), height - 1);
    for (int y = max((int)(disc.y - disc.z), 0); y <= top; ++y)
        for (int x = left; x <= right; ++x) {
            float dx = x + 0.5f - disc.x;
            float dy = y + 0.5f - disc.y;
            if (fmaf(dx, dx, dy * dy) > disc.z * disc.z) continue;
            float4 pixel = pixels[y * width + x];
            pixel.x = fmaf(disc.w, colour.x - pixel.x, pixel.x);
            pixel.y = fmaf(disc.w, colour.y - pixel.y, pixel.y);
            pixel.z = fmaf(disc.w, colour.z - pixel.z, pixel.z);
            pixels[y * width + x] = pixel;
        }
}
