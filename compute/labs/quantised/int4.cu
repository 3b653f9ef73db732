// Four bits per weight: whole numbers from -7 to 7, times a scale that 32 neighbours in a row
// share. All of them have the same step, a seventh of the largest.
#include <cuda_fp16.h>

constexpr int threads = 256;
constexpr int own = 8;       // rows per warp
constexpr int rows = 64;     // and per block
constexpr int slice = 128;   // columns that a warp multiplies at a time, four per lane
constexpr int group = 32;    // weights with one scale

// Four weights in 16 bits, each stored as 8 more than its number.
__device__ float4 four(const unsigned short* weights, int at, float scale)
{
    int bits = weights[at / 4];
    return make_float4(((bits & 15) - 8) * scale, ((bits >> 4 & 15) - 8) * scale,
                       ((bits >> 8 & 15) - 8) * scale, ((bits >> 12 & 15) - 8) * scale);
}

// A lane loads one of 32 scales; each slice needs four of them.
extern "C" __global__ void __launch_bounds__(threads)
quantised_int4(const unsigned short* weights, const __half* scales, const float* vector,
               float* result, int columns)
{
    extern __shared__ float x[];
    for (int i = threadIdx.x; i < columns; i += threads) x[i] = vector[i];
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first_row = blockIdx.x * rows + warp * own;
    float mine = 0; // the result of row `lane` of the warp
    for (int r = 0; r < own; ++r) {
        int row = first_row + r;
        float sum = 0, scale = 0;
        for (int first = 0; first < columns; first += slice) {
            int index = first / group; // of the slice's first scale
            if (index % 32 == 0 && index + lane < columns / group)
                scale = __half2float(scales[row * columns / group + index + lane]);
            int i = first + 4 * lane;
            float step = __shfl_sync(~0u, scale, index % 32 + lane / 8);
            float4 w = four(weights, row * columns + i, step);
            float4 v = *reinterpret_cast<const float4*>(x + i);
            sum += w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w;
        }
        for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == r) mine = sum;
    }
    if (lane < own) result[first_row + lane] = mine;
}

// A warp has one group, a lane for each weight.
extern "C" __global__ void quantise(const float* exact, unsigned short* weights, __half* scales)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float largest = fabsf(exact[i]);
    for (int other = 16; other > 0; other /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, other));
    __half scale = __float2half_ru(largest / 7);
    float step = __half2float(scale);
    int number = step > 0 ? __float2int_rn(exact[i] / step) : 0;

    int bits = (number + 8) << lane % 4 * 4;
    bits |= __shfl_xor_sync(~0u, bits, 1);
    bits |= __shfl_xor_sync(~0u, bits, 2);
    if (lane % 4 == 0) weights[i / 4] = static_cast<unsigned short>(bits);
    if (lane == 0) scales[i / group] = scale;
}

// The weights as the product sees them, and their errors, for the pictures.
extern "C" __global__ void quantised_seen(const unsigned short* weights, const __half* scales,
                                          const float* exact, float* seen, float* errors)
{
    int at = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float4 w = four(weights, at, __half2float(scales[at / group]));
    float4 e = *reinterpret_cast<const float4*>(exact + at);
    *reinterpret_cast<float4*>(seen + at) = w;
    w = make_float4(w.x - e.x, w.y - e.y, w.z - e.z, w.w - e.w);
    *reinterpret_cast<float4*>(errors + at) = w;
}
