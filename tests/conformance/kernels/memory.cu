// Loads and stores of every width from every space, including generic addresses.
extern "C" __global__ void widths(unsigned char* out1, unsigned short* out2, uint2* out8, float4* out16, longlong2* out16b,
                                  const signed char* in1, const short* in2, const uint2* in8, const float4* in16)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out1[i] = static_cast<unsigned char>(in1[i] * 3 + in2[i]);
    out2[i] = static_cast<unsigned short>(in2[i] - in1[i]);
    const uint2 pair = in8[i];
    out8[i] = make_uint2(pair.y + 1, pair.x ^ pair.y);
    const float4 four = in16[i];
    out16[i] = make_float4(four.w, four.z * 2.0f, four.y + four.x, -four.x);
    out16b[i] = make_longlong2(in1[i], in2[i]);
}

__constant__ float weights[8] = {1.0f, 0.5f, -0.25f, 3.0f, 2.5f, 0.125f, -1.0f, 7.0f};
__device__ const unsigned primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
__device__ unsigned scratch[640];

extern "C" __global__ void spaces(float* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[i] = in[i] + primes[in[i] % 10];
    out[i] = weights[in[i] & 7] * static_cast<float>(scratch[i] & 0xff) + weights[3];
}

extern "C" __global__ void generic_pointers(unsigned* out, const unsigned* in)
{
    __shared__ unsigned shared[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned local[4] = {i, i + 1, i + 2, i + 3};
    shared[threadIdx.x] = in[i] * 2;
    __syncthreads();
    const unsigned* from = in[i] % 3 == 0 ? &in[(i + 1) % 640] : in[i] % 3 == 1 ? &shared[threadIdx.x ^ 1] : &local[in[i] & 3];
    unsigned r = *from;
    r = r * 2 + (__isShared(from) ? 1 : 0);
    r = r * 2 + (__isGlobal(from) ? 1 : 0);
    r = r * 2 + (__isLocal(from) ? 1 : 0);
    out[i] = r;
}

extern "C" __global__ void cached_loads(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r = __ldg(&in[i]);
    r += __ldcg(&in[(i + 1) % 640]);
    r ^= __ldcs(&in[(i + 2) % 640]);
    r += __ldlu(&in[(i + 3) % 640]);
    r ^= *reinterpret_cast<const volatile unsigned*>(&in[(i + 4) % 640]);
    __stcg(&out[i], r);
    __stwt(&out[i], out[i] + 1);
}

#pragma pack(push, 1)
struct Packed {
    unsigned char tag;
    unsigned value;
    unsigned short tail;
};
#pragma pack(pop)

extern "C" __global__ void packed_structs(unsigned* out, const unsigned char* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const Packed* all = reinterpret_cast<const Packed*>(in);
    out[i] = all[i].value + all[i].tag * 3 + all[i].tail;
}

extern "C" __global__ void grid_of_three(unsigned* out)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[i] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 16 | threadIdx.z << 20 |
             (thread & 31) << 24;
}
