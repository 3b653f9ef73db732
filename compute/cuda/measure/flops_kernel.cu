// Fused multiply-adds and nothing else: eight chains a thread that do not wait for each other.
#include "compute/cuda/measure/flops_kernel.h"

namespace lanescope::cuda {
namespace {

__global__ void __launch_bounds__(multiply_add_block) multiply_add(float* results, float factor, float addend)
{
    float chains[multiply_add_chains];
#pragma unroll
    for (int i = 0; i < multiply_add_chains; ++i) chains[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 16
    for (int round = 0; round < multiply_add_rounds; ++round) {
#pragma unroll
        for (int i = 0; i < multiply_add_chains; ++i) chains[i] = fmaf(chains[i], factor, addend);
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < multiply_add_chains; ++i) sum += chains[i];
    // The compiler cannot know that nothing is stored, so it has to compute.
    if (sum == -1.0f) results[blockIdx.x * multiply_add_block + threadIdx.x] = sum;
}

} // namespace

cudaError_t queue_multiply_add(float* results, unsigned blocks, cudaStream_t stream)
{
    multiply_add<<<blocks, multiply_add_block, 0, stream>>>(results, 0.5f, 1.0f);
    return cudaGetLastError();
}

} // namespace lanescope::cuda
