// Reads what `ncu --csv` printed, in either of its layouts: one row a metric (the default page) or
// one row a launch
// (`--page raw`).
#pragma once

#include <string_view>
#include <vector>

#include "compute/trace/hardware.h"

namespace lanescope::trace {

// The launches in order. Lines before the table (what the program or ncu printed) are skipped;
// metrics without a number are left out. Throws Error (bad_usage) when there is no table, or a row
// does not fit it.
std::vector<HardwareCounts> read_ncu_csv(std::string_view text);

// The first launch of the kernel with that shape; null when there is none. C++ kernels are listed
// with their parameters ("add(float*, int)"): the name before them is compared.
const HardwareCounts* find_launch(const std::vector<HardwareCounts>& launches,
                                  std::string_view kernel, const Dim3& grid, const Dim3& block);

} // namespace lanescope::trace
