// A volume and a one-dimensional texture, sampled point by point.
__global__ void texture_3d(cudaTextureObject_t volume, cudaTextureObject_t line, float* out)
{
    const int i = threadIdx.x;
    const float v = tex3D<float>(volume, i % 4 + 0.5f, i / 4 % 4 + 0.5f, i / 16 + 0.5f);
    out[i] = v + tex1D<float>(line, i + 0.5f);
}
