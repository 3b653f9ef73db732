// A cube map, sampled in all directions.
__global__ void cube(cudaTextureObject_t sky, float* out)
{
    const int i = threadIdx.x;
    const float x = (i % 4 - 1.5f) / 1.5f, y = (i / 4 % 4 - 1.5f) / 1.5f, z = (i / 16 - 1.5f) / 1.5f;
    out[i] = texCubemap<float>(sky, x, y, z);
}
