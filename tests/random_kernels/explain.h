// Known assembler issues: instructions that ptxas translates incorrectly or differently from the
// manual. A difference that disappears when those instructions are replaced is explained by them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::random_kernels {

struct Explanation {
    std::string_view name; // described in assets/manual/differences.md
    // Rewrites a random kernel with other instructions that compute the same, except for the NaN
    // payload of a minimum; returns the text unchanged if it has none of the instructions.
    std::string (*without)(std::string_view ptx);
};

// Issues that can end a launch come first.
std::span<const Explanation> explanations();

} // namespace lanescope::random_kernels
