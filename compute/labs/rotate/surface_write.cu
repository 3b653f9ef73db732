// Surface: the picture is both read and written through surfaces. They have no filter and no address mode, and
// they count x in bytes: forget the factor four, and the picture is squeezed into its left quarter.
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

extern "C" __global__ void rotate_surface_write(cudaSurfaceObject_t source, cudaSurfaceObject_t picture,
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

    int i = resolve((int)floorf(u), source_width, mode);
    int j = resolve((int)floorf(v), source_height, mode);
    uchar4 colour = {};
    if (i >= 0 && j >= 0) colour = surf2Dread<uchar4>(source, i * sizeof(uchar4), j);
    surf2Dwrite(colour, picture, x * sizeof(uchar4), y);
}
