// Textures and surfaces with layers, faces and levels, and four-texel gathers. The last of the four
// coordinates is a layer, a level or a gradient step.
extern "C" __global__ void layers_1d(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1DLayered<float4>(texture, at[i].x, static_cast<int>(at[i].w));
}

extern "C" __global__ void layers_2d(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2DLayered<float4>(texture, at[i].x, at[i].y, static_cast<int>(at[i].w));
}

extern "C" __global__ void faces(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = texCubemap<float4>(texture, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void levels(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2DLod<float4>(texture, at[i].x, at[i].y, at[i].w);
}

extern "C" __global__ void steps(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float step = exp2f(at[i].w - 4.0f);
    out[i] = tex2DGrad<float4>(texture, at[i].x, at[i].y, make_float2(step, 0.0f), make_float2(0.0f, step / 2));
}

extern "C" __global__ void first_level(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float4>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void gathered(float4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i % 4 == 0   ? tex2Dgather<float4>(texture, at[i].x, at[i].y, 0)
             : i % 4 == 1 ? tex2Dgather<float4>(texture, at[i].x, at[i].y, 1)
             : i % 4 == 2 ? tex2Dgather<float4>(texture, at[i].x, at[i].y, 2)
                          : tex2Dgather<float4>(texture, at[i].x, at[i].y, 3);
}

// 16-bit results, as compilers emit for half textures.
extern "C" __global__ void in_halves(uint4* out, const float4* at, cudaTextureObject_t texture)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low, high;
    unsigned short x, y, z, w;
    asm("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];"
        : "=r"(low), "=r"(high) : "l"(texture), "f"(at[i].x), "f"(at[i].y));
    asm("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(texture), "f"(at[i].x), "f"(at[i].y));
    out[i] = make_uint4(low, high, x | static_cast<unsigned>(y) << 16, z | static_cast<unsigned>(w) << 16);
}

// Reads and writes layers in place; the last accesses are out of bounds.
extern "C" __global__ void surface_layers(float* out, const int2* at, cudaSurfaceObject_t surface)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = static_cast<int>(i % 8), y = static_cast<int>(i / 8 % 4), layer = static_cast<int>(i / 32 % 3);
    const float value = surf2DLayeredread<float>(surface, x * 4, y, layer);
    surf2DLayeredwrite(value * 2 + 1, surface, x * 4, y, layer);
    out[3 * i] = value;
    out[3 * i + 1] = surf2DLayeredread<float>(surface, x * 4, y, layer);
    out[3 * i + 2] = surf2DLayeredread<float>(surface, at[i].x * 4, at[i].y, layer, cudaBoundaryModeZero);
}
