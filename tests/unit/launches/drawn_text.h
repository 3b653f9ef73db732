// PTX that tries to leave its memory: kernels drawn by a seed whose offsets, strides, sizes and
// addresses lie at the borders where sums come round, among others that are as usual; and texts of
// whatever origin with words, numbers and lines exchanged.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "compute/dim3.h"

namespace lanescope::simt {

using Random = std::mt19937_64;

// A text and how its kernel is launched. The parameters are filled by their size (launch.h).
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

// Below `limit`, which is not 0.
inline std::uint64_t below(Random& random, std::uint64_t limit)
{
    return random() % limit;
}

// A number near 0, a size, 2^31, 2^32, 2^47 or 2^63, of either sign, as bits.
std::uint64_t border(Random& random);

// Grid, block and options of a launch, without a text.
DrawnLaunch draw_shape(Random& random);
// A kernel `k` by the grammar of what the machine runs.
std::string draw_text(Random& random);
// The text with a few of its words, numbers and lines exchanged.
std::string mutated(std::string text, Random& random);

} // namespace lanescope::simt
