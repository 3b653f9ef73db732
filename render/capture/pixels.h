// A picture in memory, and a part of a framebuffer.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::render {

// Tightly packed RGB, the first row at the top.
struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;

    friend bool operator==(const Pixels&, const Pixels&) = default;
};

// A part of a framebuffer, in pixels from its lower left.
struct PixelRect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

} // namespace lanescope::render
