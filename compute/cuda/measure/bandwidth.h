// This GPU's measured copy bandwidth: the upper limit for every bandwidth that the program shows.
#pragma once

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// Bytes read plus written, in GB/s (10⁹): median over copies of 1 GiB, or of a quarter of the free
// memory if that is less. Takes tens of milliseconds.
double measure_copy_gb_per_s(CudaDevice& device);

} // namespace lanescope::cuda
