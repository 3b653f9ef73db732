// Small scenes in grey: what kernels only move should be something one knows when it arrives, and
// another thing in each lab.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct Drawing {
    const char* name; // of the generator that fills a buffer with it
    // The brightness, 0 to 1, at a place with both coordinates in [0, 1], from the lower left.
    double (*at)(double u, double v);
};

std::span<const Drawing> drawings();

// width × height values in [0, 1], row 0 at the bottom, with a grain that the seed picks and that
// makes nearly every element different.
std::vector<float> drawn(const Drawing& drawing, int width, int height, std::uint64_t seed);
// By its name, which must be that of one.
const Drawing& drawing_named(std::string_view name);

} // namespace lanescope::labs
