// The device runtime that kernels call: launches, and the streams, events and errors around them.
// `<<<>>>` in a kernel asks for a buffer, stores the parameters there and launches it.
#pragma once

#include <string_view>

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Whether there is such a function; others are refused when the kernel is decoded.
DeviceCall device_call(std::string_view name);
// For each lane in order.
void call_device_runtime(Executor& executor, const Instruction& instruction, const Call& call,
                         std::uint32_t mask);

} // namespace lanescope::simt
