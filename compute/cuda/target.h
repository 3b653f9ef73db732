// Whether a GPU runs PTX for a target.
#pragma once

#include <string>
#include <string_view>

#include "compute/device/device.h"

namespace lanescope::cuda {

// "sm_75" runs on every later GPU, "sm_90a" on capability 9.0 alone, "sm_100f" on its family. The
// reason why the GPU cannot run the target, as a sentence; empty if it can.
std::string target_problem(std::string_view target, const device::Properties& gpu);

} // namespace lanescope::cuda
