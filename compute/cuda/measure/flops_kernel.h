// Sizes of the kernels behind flops.h, shared with the host: a thread executes flops_chains ×
// flops_rounds fused multiply-adds, or add + minimum pairs.
#pragma once

namespace lanescope::cuda {

inline constexpr int flops_block = 256;
inline constexpr int flops_chains = 8;
inline constexpr int flops_rounds = 4096;

} // namespace lanescope::cuda
