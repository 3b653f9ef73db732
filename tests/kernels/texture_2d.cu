// A texture object sampled between texel centres.
__global__ void texture_2d(cudaTextureObject_t image, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (x + 0.3f) / width * 1.5f;
    const float v = (y + 0.7f) / height * 1.5f;
    out[y * width + x] = tex2D<float>(image, u, v);
}
