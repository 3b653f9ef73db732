// A test image that shows at a glance how it was turned, shifted or shuffled.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::labs {

// width × height values in [0, 1], row 0 at the bottom: the letter F on a gradient, with seeded
// noise that makes nearly all elements different.
std::vector<float> test_card(int width, int height, std::uint64_t seed);

// Hashes i to 64 bits: random data without state (the finaliser of splitmix64).
constexpr std::uint64_t scramble(std::uint64_t i)
{
    i += 0x9e3779b97f4a7c15;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9;
    i = (i ^ (i >> 27)) * 0x94d049bb133111eb;
    return i ^ (i >> 31);
}

// Same, as a number in [0, 1).
constexpr double scrambled_unit(std::uint64_t i)
{
    return static_cast<double>(scramble(i) >> 11) * 0x1p-53;
}

} // namespace lanescope::labs
