// Scales a picture through a texture with normalised coordinates.
__global__ void scaleImage(cudaTextureObject_t tex, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float u = (x + 0.5f) / w, v = (y + 0.5f) / h;
    out[y * w + x] = tex2D<float>(tex, u, v);
}
