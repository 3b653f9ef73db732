// Finds sums by halving (ptx/uses/halving_sums.h) of a number of elements that is no power of two.
#pragma once

#include <optional>

#include "compute/runtime/machine.h"
#include "compute/simt/simt_module.h"

namespace lanescope::runtime {

std::optional<Finding> halving_finding(Machine& machine, const simt::SimtKernel& launched,
                                       const device::Launch& launch, const LaunchRecord& record);

} // namespace lanescope::runtime
