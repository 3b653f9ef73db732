// Texture, 16-byte writes: a thread computes four pixels of a row and writes them at once: a quarter of the write
// instructions, and four fetches in flight. A warp is 2 threads wide and 16 high, that is 8 × 16 pixels.
constexpr int pixels = 4;

extern "C" __global__ void rotate_texture_vector(cudaTextureObject_t source, cudaSurfaceObject_t picture,
                                                 int width, int height, int source_width, int source_height,
                                                 float cosine, float sine, float shift,
                                                 float texel_width, float texel_height)
{
    // The block's warps are side by side.
    int lane = threadIdx.x;
    int x = ((blockIdx.x * blockDim.y + threadIdx.y) * 2 + lane % 2) * pixels;
    int y = blockIdx.y * 16 + lane / 2;
    if (x >= width || y >= height) return;

    // Position in the source, in texels, seen at the centre of each pixel.
    float dx = x + shift - 0.5f * width;
    float dy = y + shift - 0.5f * height;
    alignas(16) uchar4 colours[pixels];
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
        float u = fmaf(cosine, dx + i, fmaf(sine, dy, 0.5f * source_width));
        float v = fmaf(-sine, dx + i, fmaf(cosine, dy, 0.5f * source_height));
        float4 colour = tex2D<float4>(source, u * texel_width, v * texel_height);
        colours[i] = make_uchar4(fmaf(colour.x, 255.0f, 0.5f), fmaf(colour.y, 255.0f, 0.5f),
                                 fmaf(colour.z, 255.0f, 0.5f), fmaf(colour.w, 255.0f, 0.5f));
    }

    // Surfaces count x in bytes.
    if (x + pixels <= width) {
        surf2Dwrite(*reinterpret_cast<const uint4*>(colours), picture, x * sizeof(uchar4), y);
    } else {
#pragma unroll
        for (int i = 0; i < pixels; ++i)
            if (x + i < width) surf2Dwrite(colours[i], picture, (x + i) * sizeof(uchar4), y);
    }
}
