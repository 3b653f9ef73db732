// Known assembler issues: instructions that ptxas translates incorrectly or not as the manual says.
// An issue explains a difference if replacing those instructions makes the difference disappear.
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

// Issues that can make a launch fail come first.
std::span<const Explanation> explanations();

} // namespace lanescope::random_kernels
