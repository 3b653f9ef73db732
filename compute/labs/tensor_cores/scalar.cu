// Scalar: no tensor cores. A block loads tiles of A and B into shared memory, and each thread multiplies two
// numbers at a time. B is stored by columns, so that numbers along k are neighbours in both matrices.
#include <cuda_fp16.h>

constexpr int bf16 = 0, f16 = 1, tf32 = 2, fp8 = 3;
constexpr int tile = 16;

template <int precision>
__device__ float number(const void* matrix, int i)
{
    if constexpr (precision == bf16) return __uint_as_float(static_cast<const unsigned short*>(matrix)[i] << 16);
    if constexpr (precision == f16) return __half2float(static_cast<const __half*>(matrix)[i]);
    if constexpr (precision == tf32) return static_cast<const float*>(matrix)[i];
    // E4M3: a sign, 4 bits of exponent, 3 of mantissa. Moved to the place of a float's, the exponent is 120 too small.
    unsigned bits = static_cast<const unsigned char*>(matrix)[i];
    return __uint_as_float((bits & 0x80) << 24 | (bits & 0x7f) << 20) * 0x1p120f;
}

template <int precision>
__device__ void product(const void* a, const void* b, float* c, int columns, int depth)
{
    __shared__ float a_tile[tile][tile + 1], b_tile[tile][tile + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;

    float sum = 0;
    for (int k = 0; k < depth; k += tile) {
        a_tile[y][x] = number<precision>(a, row * depth + k + x);
        b_tile[y][x] = number<precision>(b, (blockIdx.x * tile + y) * depth + k + x);
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += a_tile[y][i] * b_tile[x][i];
        __syncthreads();
    }
    c[row * columns + column] = sum;
}

extern "C" __global__ void tensor_cores_scalar_bf16(const void* a, const void* b, float* c, int columns, int depth)
{
    product<bf16>(a, b, c, columns, depth);
}

extern "C" __global__ void tensor_cores_scalar_f16(const void* a, const void* b, float* c, int columns, int depth)
{
    product<f16>(a, b, c, columns, depth);
}

extern "C" __global__ void tensor_cores_scalar_tf32(const void* a, const void* b, float* c, int columns, int depth)
{
    product<tf32>(a, b, c, columns, depth);
}

extern "C" __global__ void tensor_cores_scalar_fp8(const void* a, const void* b, float* c, int columns, int depth)
{
    product<fp8>(a, b, c, columns, depth);
}
