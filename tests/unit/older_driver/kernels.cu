// Image kernels: write a surface; read texels as integers and as normalised values; read one level.
extern "C" __global__ void paint(cudaSurfaceObject_t image, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(make_uchar4(x, y, x ^ y, 255), image, 4 * x, y);
}

extern "C" __global__ void read_bytes(cudaTextureObject_t image, unsigned* sums)
{
    const uchar4 texel = tex2D<uchar4>(image, threadIdx.x, threadIdx.y);
    sums[threadIdx.y * blockDim.x + threadIdx.x] = texel.x + texel.y + texel.z + texel.w;
}

extern "C" __global__ void read_level(cudaTextureObject_t image, float* results, float level)
{
    results[threadIdx.x] = tex2DLod<float>(image, threadIdx.x, 0, level);
}

extern "C" __global__ void sum_up(float* result, int count)
{
    extern __shared__ float values[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = 1;
    __syncthreads();
    if (threadIdx.x > 0) return;
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    *result = sum;
}
