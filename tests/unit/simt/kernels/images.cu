// Texture reads and surface reads and writes through objects.
extern "C" __global__ void read_points(cudaTextureObject_t source, float* out, int width)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(source, x + 0.5f, y + 0.5f) + tex2D<float4>(source, x + 1.5f, y + 0.5f).x * 100;
}

extern "C" __global__ void read_bytes(cudaTextureObject_t source, uchar4* out, int width)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<uchar4>(source, x, y);
}

extern "C" __global__ void invert(cudaSurfaceObject_t surface, int width, int height)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 v;
    surf2Dread(&v, surface, x * 4, y);
    v.x = 255 - v.x;
    v.w = 7;
    surf2Dwrite(v, surface, x * 4, y);
}

extern "C" __global__ void overrun(cudaSurfaceObject_t surface)
{
    surf2Dwrite(1.0f, surface, threadIdx.x * 4, 0);
}

extern "C" __global__ void column_as_byte(cudaSurfaceObject_t surface)
{
    surf2Dwrite(1.0f, surface, threadIdx.x, 0);
}

extern "C" __global__ void beyond(cudaSurfaceObject_t surface, float* out)
{
    float v = 5;
    surf2Dread(&v, surface, (int)threadIdx.x * 4 - 8, 0, cudaBoundaryModeZero);
    out[threadIdx.x] = v;
}

// Samples at coordinates `step` apart.
extern "C" __global__ void blends(cudaTextureObject_t texture, float* out, float first, float step)
{
    out[threadIdx.x] = tex2D<float>(texture, fmaf(threadIdx.x, step, first), 0.5f);
}
