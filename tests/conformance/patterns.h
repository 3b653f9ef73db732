// Counting patterns: kernels of one warp and one access (and some compiled ones) whose counts
// Nsight Compute has recorded. Each is launched once; its kernel's name tells it apart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compute/trace/trace.h"
#include "tests/conformance/case.h"

namespace lanescope::conformance {

// A metric of Nsight Compute and what the trace has in its place. Compiled kernels' shared
// wavefronts carry the noise of arbitration: `slack` is the share by which the hardware may count
// more.
struct Check {
    std::string metric;
    std::function<std::uint64_t(const trace::Totals&)> value;
    double slack = 0;
};

struct Pattern {
    Case test;
    std::vector<Check> checks;
};

const std::vector<Pattern>& all_patterns();

void add_access_patterns(std::vector<Pattern>& patterns);
void add_compiled_patterns(std::vector<Pattern>& patterns);

} // namespace lanescope::conformance
