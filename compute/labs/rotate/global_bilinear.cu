// Global memory, bilinear: four texels and their weights, by hand. A texture unit does this in one instruction;
// here it takes four loads and some sixty other instructions.
// Applies the address mode, as a texture unit does: the texel's index, or -1 for the border.
__device__ int resolve(int i, int size, int mode)
{
    enum { border, clamp, wrap, mirror };
    if (i >= 0 && i < size) return i;
    if (mode == border) return -1;
    if (mode == clamp) return i < 0 ? 0 : size - 1;
    int period = mode == wrap ? size : 2 * size;
    int k = i % period;
    if (k < 0) k += period;
    return k < size ? k : 2 * size - 1 - k;
}

__device__ float4 fetch(const uchar4* source, int i, int j, int width, int height, int mode)
{
    i = resolve(i, width, mode);
    j = resolve(j, height, mode);
    if (i < 0 || j < 0) return make_float4(0, 0, 0, 0);
    uchar4 texel = source[j * width + i];
    return make_float4(texel.x, texel.y, texel.z, texel.w);
}

__device__ float4 mix(float4 a, float4 b, float t)
{
    return make_float4(fmaf(t, b.x - a.x, a.x), fmaf(t, b.y - a.y, a.y),
                       fmaf(t, b.z - a.z, a.z), fmaf(t, b.w - a.w, a.w));
}

extern "C" __global__ void rotate_global_bilinear(const uchar4* source, cudaSurfaceObject_t picture,
                                                  int width, int height, int source_width, int source_height,
                                                  float cosine, float sine, float shift, int mode)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Position in the source, in texels, seen at the centre of this pixel.
    float dx = x + shift - 0.5f * width;
    float dy = y + shift - 0.5f * height;
    float u = fmaf(cosine, dx, fmaf(sine, dy, 0.5f * source_width));
    float v = fmaf(-sine, dx, fmaf(cosine, dy, 0.5f * source_height));

    // Texel centres are at .5, so the four around the point start half a texel further down and left.
    float left = floorf(u - 0.5f);
    float below = floorf(v - 0.5f);
    int i = (int)left, j = (int)below;
    float4 low = mix(fetch(source, i, j, source_width, source_height, mode),
                     fetch(source, i + 1, j, source_width, source_height, mode), u - 0.5f - left);
    float4 high = mix(fetch(source, i, j + 1, source_width, source_height, mode),
                      fetch(source, i + 1, j + 1, source_width, source_height, mode), u - 0.5f - left);
    float4 colour = mix(low, high, v - 0.5f - below);

    uchar4 rounded = make_uchar4(colour.x + 0.5f, colour.y + 0.5f, colour.z + 0.5f, colour.w + 0.5f);
    surf2Dwrite(rounded, picture, x * sizeof(uchar4), y);
}
