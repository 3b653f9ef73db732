// The roofs over every rate of operations that the program shows: what this GPU's own fused
// multiply-adds and its pairs of an addition and a minimum reach, measured here.
#pragma once

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// Single precision, in 10⁹ operations a second; a fused multiply-add is two. The median of launches
// that keep every multiprocessor busy for some milliseconds each.
double measure_fp32_gflop_per_s(CudaDevice& device);

// The same of pairs of an addition and a minimum in single precision; a pair is two operations.
double measure_add_min_gop_per_s(CudaDevice& device);

} // namespace lanescope::cuda
