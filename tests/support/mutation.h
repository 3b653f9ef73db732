// Kernel sources as they are while the user types: tokens dropped, swapped or doubled, constants
// and operators changed. The same random numbers give the same source.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace lanescope::test {

std::string mutated(std::string_view text, std::mt19937& random);

} // namespace lanescope::test
