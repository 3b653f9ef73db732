// Assumptions about the launch of a kernel without a record.
#pragma once

#include <string>
#include <vector>

#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// "4 blocks of 256", "n = 1000", "in: waves"; empty for labs with a record.
std::vector<std::string> assumptions(const labs::Lab& lab, const labs::Variant& variant,
                                     const labs::Values& values,
                                     const labs::Experiment::Shape& shape);

// All of them on one line: "assumed: 4 blocks of 256, n = 1000, in: waves"; empty if there are
// none.
std::string assumption_line(const std::vector<std::string>& assumptions);

} // namespace lanescope::app
