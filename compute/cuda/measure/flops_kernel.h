// The sizes of the kernels behind flops.h, for them and for the host: a thread makes
// flops_chains × flops_rounds fused multiply-adds, or pairs of an addition and a minimum.
#pragma once

namespace lanescope::cuda {

inline constexpr int flops_block = 256;
inline constexpr int flops_chains = 8;
inline constexpr int flops_rounds = 4096;

} // namespace lanescope::cuda
