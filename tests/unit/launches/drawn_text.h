// PTX that tries to access memory outside its buffers: random kernels whose offsets, strides, sizes
// and addresses are often near the values at which sums overflow; and existing PTX in which a few
// numbers and words are replaced, and lines deleted or duplicated.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "compute/dim3.h"

namespace lanescope::simt {

using Random = std::mt19937_64;

// A text and its launch. Arguments are chosen by the parameters' sizes (launch.h).
struct DrawnLaunch {
    std::string ptx;
    std::string kernel = "k";
    Dim3 grid{};
    Dim3 block{32, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    int keep_going = 0;
    bool checked = false;
    bool counted = true;
};

// A number below `limit`, which must not be 0.
inline std::uint64_t below(Random& random, std::uint64_t limit)
{
    return random() % limit;
}

// Bits of a random number near 0, a size, 2^31, 2^32, 2^47 or 2^63, positive or negative.
std::uint64_t border(Random& random);

// Chooses grid, block and options of a launch at random; the text is empty.
DrawnLaunch draw_shape(Random& random);
// Generates a random kernel `k` from a grammar of the instructions that the machine runs.
std::string draw_text(Random& random);
// Returns the text with a few numbers and words replaced, and lines deleted or duplicated.
std::string mutated(std::string text, Random& random);

} // namespace lanescope::simt
