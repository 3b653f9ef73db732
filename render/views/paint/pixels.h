// A picture in memory, and a part of a framebuffer.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::render {

// Tightly packed RGB, top row first.
struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;

    friend bool operator==(const Pixels&, const Pixels&) = default;
};

// A rectangle of a framebuffer, in pixels from its lower left corner.
struct PixelRect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

} // namespace lanescope::render
