// Only fused multiply-adds, or pairs of an addition and a minimum: eight independent chains per
// thread.
#include "compute/cuda/measure/flops_kernel.h"

using namespace lanescope::cuda;

extern "C" __global__ void __launch_bounds__(flops_block)
    multiply_add(float* results, float factor, float addend)
{
    float chains[flops_chains];
#pragma unroll
    for (int i = 0; i < flops_chains; ++i) chains[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 16
    for (int round = 0; round < flops_rounds; ++round) {
#pragma unroll
        for (int i = 0; i < flops_chains; ++i) chains[i] = fmaf(chains[i], factor, addend);
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < flops_chains; ++i) sum += chains[i];
    // Never true, but the compiler can't know that, so it has to compute the sum.
    if (sum == -1.0f) results[blockIdx.x * flops_block + threadIdx.x] = sum;
}

// The sums rise above `limit` and are reset by the minimum, so that no minimum can be optimised
// away.
extern "C" __global__ void __launch_bounds__(flops_block)
    add_min(float* results, float addend, float limit)
{
    float chains[flops_chains];
#pragma unroll
    for (int i = 0; i < flops_chains; ++i) chains[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 16
    for (int round = 0; round < flops_rounds; ++round) {
#pragma unroll
        for (int i = 0; i < flops_chains; ++i) chains[i] = fminf(chains[i] + addend, limit);
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < flops_chains; ++i) sum += chains[i];
    if (sum == -1.0f) results[blockIdx.x * flops_block + threadIdx.x] = sum;
}
