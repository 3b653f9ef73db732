// The GPU's own performance counters of kernels, through CUPTI's range profiler, which is loaded on
// demand.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "compute/cuda/cuda_device.h"
#include "compute/trace/hardware.h"

namespace lanescope::cuda {

// Called before each CUPTI function with an empty result and after it with its result:
// "CUPTI_SUCCESS (0)".
using CounterStep = std::function<void(std::string_view function, std::string_view result)>;

// Runs `work`, which queues launches on the device's stream, under the profiler. The profiler
// replays each launch on restored memory as often as the counters require. Returns the
// compared_counts() and `further` metrics, except those that this chip lacks, summed over launches
// that have a trace; leaves the traces unchanged. Throws DeviceError with a fix if counters are
// unavailable: no CUPTI, no permission, too new a GPU, or more launches than it can distinguish.
trace::HardwareCounts count_hardware(CudaDevice& device, const std::function<void()>& work,
                                     const CounterStep& on_step = {},
                                     std::span<const std::string_view> further = {});

} // namespace lanescope::cuda
