// A thread per circle, with volatile accesses: each load and store is executed and well defined. Their order is not.
// Between a load and its store another thread may blend its circle, which is then lost, and a circle is blended whenever
// its thread gets there.
extern "C" __global__ void circles_volatile(const float4* circles, volatile float* pixels, int count,
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
            volatile float* pixel = pixels + 4 * (y * width + x);
            float red = pixel[0];
            float green = pixel[1];
            float blue = pixel[2];
            pixel[0] = fmaf(disc.w, colour.x - red, red);
            pixel[1] = fmaf(disc.w, colour.y - green, green);
            pixel[2] = fmaf(disc.w, colour.z - blue, blue);
        }
}
