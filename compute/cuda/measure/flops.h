// This GPU's measured rates of fused multiply-adds and of add + minimum pairs: the upper limits for
// every operation rate that the program shows.
#pragma once

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// Single precision GFLOP/s; a fused multiply-add counts as two. Median over launches that keep
// every multiprocessor busy for several milliseconds each.
double measure_fp32_gflop_per_s(CudaDevice& device);

// The same for add + minimum pairs in single precision; a pair counts as two operations.
double measure_add_min_gop_per_s(CudaDevice& device);

} // namespace lanescope::cuda
