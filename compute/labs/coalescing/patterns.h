// The inputs of the access patterns, and what each of them must produce.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::labs::coalescing {

inline constexpr int largest_stride = 64;
inline constexpr int largest_offset = 64;

// What a variant is run with. A picture of size × size elements goes in, one comes out.
struct Pattern {
    std::string_view variant;
    int size = 0;
    int stride = 1;
    int offset = 0;
    std::uint64_t seed = 1;

    int elements() const { return size * size; }
    // Elements from the start of a row to the start of the next, in memory.
    int pitch() const { return variant == "pitched" ? (size + 31) / 32 * 32 : size; }
};

struct Inputs {
    std::vector<float>
        first; // the picture; or the pixels' numbers; or the first matrix, with its padding
    std::vector<float> second; // the second matrix
    std::vector<int> order;    // the permutation
};

Inputs make_inputs(const Pattern& pattern);

// The result in plain loops: pitch() × size elements, padding 0.
std::vector<double> reference(const Pattern& pattern, const Inputs& inputs);

// Bytes that must be read and written at the least.
double least_bytes(const Pattern& pattern);

} // namespace lanescope::labs::coalescing
