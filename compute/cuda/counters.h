// The GPU's own counters of what kernels did, through CUPTI's range profiler, which is loaded when
// it is asked for.
#pragma once

#include <functional>

#include "compute/cuda/cuda_device.h"
#include "compute/trace/hardware.h"

namespace lanescope::cuda {

// Runs `work` (which queues launches on the device's stream) under the profiler, which repeats each
// launch on restored memory as often as the counters need, and sums over the launches every metric
// of trace::compared_counts(). Throws DeviceError with the cure when counters are not to be had: no
// CUPTI, no permission, too new a GPU.
trace::HardwareCounts count_hardware(CudaDevice& device, const std::function<void()>& work);

} // namespace lanescope::cuda
