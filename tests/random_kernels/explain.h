// What is known of the assembler: instructions that ptxas gets wrong, or decides otherwise than the
// manual. A kernel that differs, and no longer does with other instructions in their place, is
// explained by them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::random_kernels {

struct Explanation {
    std::string_view name; // assets/manual/differences.md describes each
    // The text of a kernel that was drawn, with instructions in the place of these that compute the
    // same, but for which NaN a minimum gives; as it is where there are none of them.
    std::string (*without)(std::string_view ptx);
};

// What can end a launch comes first.
std::span<const Explanation> explanations();

} // namespace lanescope::random_kernels
