// CUDA's math library, as compiled to PTX instructions.
#include <cuda_fp16.h>

extern "C" __global__ void exact_f32(float* out, const float* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i], y = in[(i * 13 + 1) % 640];
    float r[] = {sqrtf(fabsf(x)), x / y, fmodf(x, y), floorf(x) + ceilf(y), rintf(x), truncf(x) - roundf(y), fmaf(x, y, 1.0f),
                 fminf(x, y), fmaxf(x, y), copysignf(x, y), sinf(x), cosf(y), hypotf(x, y), atanf(x), ldexpf(x, 5), nextafterf(x, y)};
    for (int k = 0; k < 16; ++k) out[i * 16 + k] = r[k];
}

extern "C" __global__ void approximate_f32(float* out, const float* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    float r[] = {expf(x), exp2f(x), logf(x), log2f(x), log10f(x), powf(fabsf(x), 0.3f), tanhf(x), erff(x)};
    for (int k = 0; k < 8; ++k) out[i * 8 + k] = r[k];
}

extern "C" __global__ void exact_f64(double* out, const double* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = in[i], y = in[(i * 13 + 1) % 640];
    double r[] = {sqrt(fabs(x)), x / y, fmod(x, y), floor(x) + ceil(y), rint(x), sin(x), cos(y), exp(x), log(x), atan(x), fma(x, y, 1.0), round(x)};
    for (int k = 0; k < 12; ++k) out[i * 12 + k] = r[k];
}

extern "C" __global__ void integers(unsigned long long* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = in[i], y = in[(i * 13 + 1) % 640];
    const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
    unsigned long long r = __popc(x) + __clz(y) * 64u + __ffs(x) * 4096u;
    r = r * 31 + __brev(x) + __byte_perm(x, y, 0x3715);
    r = r * 31 + __funnelshift_l(x, y, i) + __funnelshift_rc(x, y, i % 40);
    r = r * 31 + __mulhi(static_cast<int>(x), static_cast<int>(y)) + __umul24(x, y) + __mul24(x, y);
    r = r * 31 + __sad(static_cast<int>(x), static_cast<int>(y), 5u) + __usad(x, y, 7u) + __hadd(static_cast<int>(x), static_cast<int>(y)) + __urhadd(x, y);
    r = r * 31 + __dp4a(static_cast<int>(x), static_cast<int>(y), 3) + __dp2a_lo(x, y, 9u);
    r = r * 31 + __umul64hi(wide, wide * 3 + 1) + __brevll(wide) + __popcll(wide) + __clzll(wide);
    r = r * 31 + wide / (y | 1) + wide % (x | 1) + static_cast<unsigned long long>(static_cast<long long>(wide) / -7);
    r = r * 31 + __vadd4(x, y) + __vmaxs2(x, y) + __vabsdiffu4(x, y) + __vcmpgtu2(x, y) + __vavgu4(x, y) + __vsubus4(x, y);
    out[i] = r;
}

extern "C" __global__ void halves(unsigned short* out, const float* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half x = __float2half(in[i]), y = __float2half(in[(i * 13 + 1) % 640]);
    const __half2 both = __halves2half2(x, y), other = __halves2half2(y, x);
    __half r[8] = {__hadd(x, y), __hmul(x, y), __hfma(x, y, x), __hsub(x, y), __hmax(x, y), hfloor(x), __hdiv(x, y), hsqrt(__habs(x))};
    const __half2 sum = __hfma2(both, other, both);
    r[6] = __low2half(sum);
    for (int k = 0; k < 8; ++k) out[i * 10 + k] = __half_as_ushort(r[k]);
    out[i * 10 + 8] = static_cast<unsigned short>(__half2int_rz(x)) + (__hlt(x, y) ? 1 : 0) + (__hisnan(y) ? 2 : 0);
    out[i * 10 + 9] = __half_as_ushort(__high2half(__hmul2_sat(both, other)));
}
