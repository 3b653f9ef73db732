// Halves: 2 bytes per weight, 11 bits of precision.
#include <cuda_fp16.h>

constexpr int threads = 256;
constexpr int own = 8;       // rows per warp
constexpr int rows = 64;     // and per block
constexpr int slice = 128;   // columns that a warp multiplies at a time, four per lane

__device__ float4 four(const __half* weights, int at)
{
    uint2 bits = *reinterpret_cast<const uint2*>(weights + at);
    float2 low = __half22float2(*reinterpret_cast<__half2*>(&bits.x));
    float2 high = __half22float2(*reinterpret_cast<__half2*>(&bits.y));
    return make_float4(low.x, low.y, high.x, high.y);
}

// Each warp multiplies eight rows by the vector, which the block holds in shared memory.
extern "C" __global__ void __launch_bounds__(threads)
quantised_f16(const __half* weights, const float* vector, float* result, int columns)
{
    extern __shared__ float x[];
    for (int i = threadIdx.x; i < columns; i += threads) x[i] = vector[i];
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first_row = blockIdx.x * rows + warp * own;
    float mine = 0; // the result of row `lane` of the warp
    for (int r = 0; r < own; ++r) {
        int row = first_row + r;
        float sum = 0;
        for (int i = 4 * lane; i < columns; i += slice) {
            float4 w = four(weights, row * columns + i);
            float4 v = *reinterpret_cast<const float4*>(x + i);
            sum += w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w;
        }
        for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == r) mine = sum;
    }
    if (lane < own) result[first_row + lane] = mine;
}

extern "C" __global__ void quantise(const float* exact, __half* weights)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    weights[i] = __float2half_rn(exact[i]);
}

// The weights as the product sees them, and their errors, for the pictures.
extern "C" __global__ void quantised_seen(const __half* weights, const float* exact,
                                          float* seen, float* errors)
{
    int at = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float4 w = four(weights, at);
    float4 e = *reinterpret_cast<const float4*>(exact + at);
    *reinterpret_cast<float4*>(seen + at) = w;
    w = make_float4(w.x - e.x, w.y - e.y, w.z - e.z, w.w - e.w);
    *reinterpret_cast<float4*>(errors + at) = w;
}
