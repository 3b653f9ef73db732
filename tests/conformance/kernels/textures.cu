// Textures and surfaces of one to three dimensions, at positions chosen by the host.
extern "C" __global__ void sample_1d(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1D<float4>(texture, at[i].x);
}

extern "C" __global__ void sample_2d(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float4>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void sample_3d(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex3D<float4>(texture, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void sample_2d_bytes(uchar4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<uchar4>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void surface_edges(float* out, const int2* at, cudaSurfaceObject_t surface)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = surf2Dread<float>(surface, at[i].x * 4, at[i].y, cudaBoundaryModeClamp);
    out[2 * i + 1] = surf2Dread<float>(surface, at[i].x * 4, at[i].y, cudaBoundaryModeZero);
}

extern "C" __global__ void surface_round_trip(unsigned* out, const int2* at, cudaSurfaceObject_t surface)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y;
    uchar4 value = surf2Dread<uchar4>(surface, x * 4, y);
    value.x = value.y + 1;
    value.w ^= static_cast<unsigned char>(x);
    surf2Dwrite(value, surface, x * 4, y);
    surf2Dwrite(value, surface, at[x].x * 4 + 1000, at[x].y, cudaBoundaryModeZero);
    const uchar4 back = surf2Dread<uchar4>(surface, x * 4, y);
    out[y * gridDim.x * blockDim.x + x] = back.x | back.y << 8 | back.z << 16 | static_cast<unsigned>(back.w) << 24;
}
