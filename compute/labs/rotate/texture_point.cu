// Texture, point: one instruction finds the texel and handles positions outside. The array stores texels that are close
// in both directions together, so a rotated row touches far fewer lines.
extern "C" __global__ void rotate_texture_point(cudaTextureObject_t source, cudaSurfaceObject_t picture,
                                                int width, int height, int source_width, int source_height,
                                                float cosine, float sine, float shift,
                                                float texel_width, float texel_height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Position in the source, in texels, seen at the centre of this pixel.
    float dx = x + shift - 0.5f * width;
    float dy = y + shift - 0.5f * height;
    float u = fmaf(cosine, dx, fmaf(sine, dy, 0.5f * source_width));
    float v = fmaf(-sine, dx, fmaf(cosine, dy, 0.5f * source_height));

    // Coordinates are in [0, 1]: only those can wrap or mirror. Bytes are read as [0, 1] too.
    float4 colour = tex2D<float4>(source, u * texel_width, v * texel_height);

    uchar4 bytes = make_uchar4(fmaf(colour.x, 255.0f, 0.5f), fmaf(colour.y, 255.0f, 0.5f),
                               fmaf(colour.z, 255.0f, 0.5f), fmaf(colour.w, 255.0f, 0.5f));
    surf2Dwrite(bytes, picture, x * sizeof(uchar4), y);
}
