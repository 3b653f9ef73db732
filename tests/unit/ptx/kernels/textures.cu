// Textures and surfaces of one, two and three dimensions.
extern "C" __global__ void textures(cudaTextureObject_t image, cudaSurfaceObject_t surface, float* out, float4* pixels)
{
    const int i = threadIdx.x;
    out[i] = tex1D<float>(image, 2.0f) + tex2D<float>(image, 0.5f, 1.5f) + tex3D<float>(image, 1.0f, 2.0f, 3.0f) +
             tex1Dfetch<float>(image, i) + tex2DLod<float>(image, 1.0f, 2.0f, 3.0f);
    pixels[i] = tex2D<float4>(image, 1.0f, 2.0f);
    surf2Dwrite(surf2Dread<float>(surface, 4 * i, 6), surface, 4 * i, 5);
}
