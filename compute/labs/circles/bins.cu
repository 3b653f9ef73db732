// Bins: the picture is cut into tiles of 16 × 16 pixels. One launch lists the circles that touch each tile, a second one
// draws: a pixel goes through the list of its tile only.
constexpr int tile = 16;

// A thread per tile. It goes through the circles in order, so its list is in order.
extern "C" __global__ void circles_fill_bins(const float4* circles, int* lists, int* lengths,
                                             int count, int tiles, int across)
{
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin >= tiles) return;
    float left = bin % across * tile;
    float bottom = bin / across * tile;

    int length = 0;
    for (int i = 0; i < count; ++i) {
        float4 disc = circles[2 * i]; // x, y, radius, opacity
        float dx = disc.x - fminf(fmaxf(disc.x, left), left + tile); // to the tile's nearest point
        float dy = disc.y - fminf(fmaxf(disc.y, bottom), bottom + tile);
        if (fmaf(dx, dx, dy * dy) <= disc.z * disc.z) lists[bin * count + length++] = i;
    }
    lengths[bin] = length;
}

extern "C" __global__ void circles_bins(const float4* circles, const int* lists, const int* lengths,
                                        float4* pixels, int count, int width, int height)
{
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    if (x >= width || y >= height) return;
    int bin = blockIdx.y * gridDim.x + blockIdx.x;
    const int* list = lists + bin * count;

    float4 pixel = make_float4(0, 0, 0, 0);
    int length = lengths[bin];
    for (int k = 0; k < length; ++k) {
        int i = list[k];
        float4 disc = circles[2 * i];
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
