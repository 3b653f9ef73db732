// Layered images, sampled as a texture and written as a surface.
__global__ void layered(cudaTextureObject_t layers, cudaSurfaceObject_t out)
{
    const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    const float value = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, layer);
    surf2DLayeredwrite(value * 2 + layer, out, x * 4, y, layer);
}
