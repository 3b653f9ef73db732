// Reads the output of `ncu --csv` in either layout: one row per metric (the default page) or one
// row per launch (`--page raw`).
#pragma once

#include <string_view>
#include <vector>

#include "compute/trace/hardware.h"

namespace lanescope::trace {

// Launches in order. Skips lines before the table (output of the program or of ncu) and metrics
// without a number. Throws Error (bad_usage) if there is no table, or a row doesn't fit it.
std::vector<HardwareCounts> read_ncu_csv(std::string_view text);

// First launch of the kernel with that shape; null if there is none. C++ kernels are listed with
// their parameters ("add(float*, int)"), which are ignored in the comparison.
const HardwareCounts* find_launch(const std::vector<HardwareCounts>& launches,
                                  std::string_view kernel, const Dim3& grid, const Dim3& block);

} // namespace lanescope::trace
