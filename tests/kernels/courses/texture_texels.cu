// Blur through a texture by texel coordinates; the texture unit clamps at the edges.
__global__ void blurThroughTexture(cudaTextureObject_t source, float* blurred, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        float sum = 0.0f;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(source, x + dx + 0.5f, y + dy + 0.5f);
        blurred[y * w + x] = sum / 9.0f;
    }
}
