// The device runtime that kernels call: launches, with their streams, events and errors. `<<<>>>`
// in a kernel requests a parameter buffer, fills it and launches it.
#pragma once

#include <string_view>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Looks up a function; DeviceCall::none if unsupported, which makes decoding refuse the kernel.
DeviceCall device_call(std::string_view name);
// Executes the call for each lane in order.
void call_device_runtime(Executor& executor, const Instruction& instruction, const Call& call,
                         std::uint32_t mask);

} // namespace lanescope::simt
