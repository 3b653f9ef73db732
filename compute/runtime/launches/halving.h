// Finds sums by halving (ptx/uses/halving_sums.h) of a number of elements that is no power of two.
#pragma once

#include <optional>

#include "compute/device/device.h"
#include "compute/runtime/reporting/report.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::runtime {

std::optional<Finding> halving_finding(const simt::Program& program, const device::Launch& launch,
                                       const LaunchRecord& record);

} // namespace lanescope::runtime
