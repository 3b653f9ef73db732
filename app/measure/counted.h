// Metrics (quantity.h) that follow from the counts of a launch alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compute/experiment/lab/lab.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// Their ids: "sectors_per_load", "bytes", …
std::vector<std::string> counted_ids();
// Their values by id; those that do not apply to the launch are left out. `shared_bytes` is the
// shared memory of a block.
std::map<std::string, double> counted_values(const trace::Trace& trace, const labs::Work& work,
                                             std::size_t shared_bytes);

} // namespace lanescope::app
