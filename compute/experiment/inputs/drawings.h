// Small grey-scale scenes: kernels that only move data should move something recognisable, and
// something different in each lab.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct Drawing {
    const char* name; // name of the generator that fills a buffer with it
    // Brightness, 0 to 1, at coordinates in [0, 1], with the origin at the lower left.
    double (*at)(double u, double v);
};

std::span<const Drawing> drawings();

// Returns width × height values in [0, 1], row 0 at the bottom, with seeded noise that makes
// nearly all elements different.
std::vector<float> drawn(const Drawing& drawing, int width, int height, std::uint64_t seed);
// `name` must be that of an existing drawing.
const Drawing& drawing_named(std::string_view name);

} // namespace lanescope::labs
