// One warp multiplies two 16 × 16 tiles on the tensor cores.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;

__global__ void tensorTile(const half* a, const half* b, float* c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 32, wmma::mem_row_major);
}

int main()
{
    half *a, *b;
    float* c;
    cudaMalloc(&a, 256 * sizeof(half));
    cudaMalloc(&b, 256 * sizeof(half));
    cudaMalloc(&c, 256 * sizeof(float));
    tensorTile<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
}
