// Counting patterns: kernels of one warp and one access (and some compiled ones) with counts
// recorded by Nsight Compute. Each is launched once and identified by its kernel name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compute/trace/trace.h"
#include "tests/conformance/case.h"

namespace lanescope::conformance {

// A metric of Nsight Compute and its equivalent in our trace. `slack` is the relative excess that
// the hardware may have: shared wavefronts of compiled kernels include lost arbitration.
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
