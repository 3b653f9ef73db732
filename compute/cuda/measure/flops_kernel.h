// The kernel behind measure_fp32_gflop_per_s, compiled by nvcc into the program.
#pragma once

#include <cuda_runtime_api.h>

namespace lanescope::cuda {

inline constexpr int multiply_add_block = 256;
inline constexpr int multiply_add_chains = 8;
inline constexpr int multiply_add_rounds = 4096;

// A thread does multiply_add_chains × multiply_add_rounds fused multiply-adds; `results` has room
// for a number from each. Returns the launch's error.
cudaError_t queue_multiply_add(float* results, unsigned blocks, cudaStream_t stream);

} // namespace lanescope::cuda
