// The roof over every bandwidth that the program shows: what this GPU's own copy reaches, measured
// here.
#pragma once

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// Bytes read plus bytes written, in 10⁹ bytes a second: the median over copies of 1 GiB, or of a
// quarter of the free memory where that is less. Takes some tens of milliseconds.
double measure_copy_gb_per_s(CudaDevice& device);

} // namespace lanescope::cuda
