// Linear, then copied: the texture is read as before, but the result goes to a plain buffer, row by row, which is then
// copied to the picture's array. Every pixel is written twice and read once more.
extern "C" __global__ void rotate_linear_copy(cudaTextureObject_t source, uchar4* rows,
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

    float4 colour = tex2D<float4>(source, u * texel_width, v * texel_height);

    rows[y * width + x] = make_uchar4(fmaf(colour.x, 255.0f, 0.5f), fmaf(colour.y, 255.0f, 0.5f),
                                      fmaf(colour.z, 255.0f, 0.5f), fmaf(colour.w, 255.0f, 0.5f));
}
