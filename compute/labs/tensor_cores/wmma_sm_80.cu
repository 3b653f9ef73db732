// wmma: a warp multiplies tiles of 16 × 16 with one instruction, and C++ knows nothing of how the lanes share a
// tile. The tiles come from global memory again for each product. wmma has no fp8. Needs compute capability 8.0.
#include <mma.h>

using namespace nvcuda;

constexpr int tile = 16;
constexpr int warps = 4; // in a row of C

// `Format` is that of the factors; for tf32, whose numbers are stored as floats, another type than `Number`.
template <class Format, int depth_of_tile, class Number>
__device__ void product(const Number* a, const Number* b, float* c, int columns, int depth)
{
    int row = blockIdx.y * tile, column = (blockIdx.x * warps + threadIdx.x / 32) * tile;
    if (column >= columns) return;

    wmma::fragment<wmma::accumulator, tile, tile, depth_of_tile, float> sums;
    wmma::fragment<wmma::matrix_a, tile, tile, depth_of_tile, Format, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, tile, tile, depth_of_tile, Format, wmma::col_major> right;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < depth; k += depth_of_tile) {
        wmma::load_matrix_sync(left, a + row * depth + k, depth);
        wmma::load_matrix_sync(right, b + column * depth + k, depth);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(c + row * columns + column, sums, columns, wmma::mem_row_major);
}

extern "C" __global__ void tensor_cores_wmma_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int columns, int depth)
{
    product<__nv_bfloat16, 16>(a, b, c, columns, depth);
}

extern "C" __global__ void tensor_cores_wmma_f16(const __half* a, const __half* b, float* c, int columns, int depth)
{
    product<__half, 16>(a, b, c, columns, depth);
}

extern "C" __global__ void tensor_cores_wmma_tf32(const float* a, const float* b, float* c, int columns, int depth)
{
    product<wmma::precision::tf32, 8>(a, b, c, columns, depth);
}
