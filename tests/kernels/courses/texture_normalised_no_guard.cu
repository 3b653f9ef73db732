// Flips a picture through a texture with normalised coordinates.
__global__ void flipPicture(cudaTextureObject_t picture, float* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / width;
    float v = 1.0f - (y + 0.5f) / height;
    out[y * width + x] = tex2D<float>(picture, u, v);
}
