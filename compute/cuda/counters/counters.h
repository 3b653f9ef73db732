// The GPU's own counters of what kernels did, through CUPTI's range profiler, which is loaded when
// it is asked for.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "compute/cuda/cuda_device.h"
#include "compute/trace/hardware.h"

namespace lanescope::cuda {

// Told of each of CUPTI's functions before it is called, with an empty result, and after it, with
// its result: "CUPTI_SUCCESS (0)".
using CounterStep = std::function<void(std::string_view function, std::string_view result)>;

// Runs `work` (which queues launches on the device's stream) under the profiler, which repeats each
// launch on restored memory as often as the counters need, and sums over the launches that have a
// trace the compared_counts() and the `further` ones, without those that this chip's profiler
// refuses. The traces stay as they are.
// DeviceError with the cure when counters are not available: no CUPTI, no permission, too new a
// GPU, more launches than it can tell apart.
trace::HardwareCounts count_hardware(CudaDevice& device, const std::function<void()>& work,
                                     const CounterStep& on_step = {},
                                     std::span<const std::string_view> further = {});

} // namespace lanescope::cuda
