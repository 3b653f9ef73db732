// The picture that is rotated, and the valid results of each sampling method.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/device/device.h"
#include "compute/experiment/inputs/image_file.h"

namespace lanescope::labs::rotate {

// Test chart: a house in the sun, with fine lines, checkerboards and a star, on colours that differ
// from corner to corner.
Rgba8Image chart(int size);

// Mapping from a pixel in the picture to its position in the source. Sines and cosines are divided
// by the zoom.
struct Turn {
    float cosine = 1;
    float sine = 0;
    float shift = 0.5F; // 0: the half-texel mistake
};

// Minimum and maximum value of a channel.
struct Range {
    double low = 0;
    double high = 0;
};

struct Sampler {
    const Rgba8Image& source;
    device::AddressMode mode;
    device::Filter filter;
    bool texture_unit = false; // allows for the hardware's rounding of coordinates and weights
};

// Valid values at (x, y) of the picture (width × height pixels): four channels, in levels from 0 to
// 255.
std::array<Range, 4> allowed(const Sampler& sampler, const Turn& turn, int width, int height, int x,
                             int y);

} // namespace lanescope::labs::rotate
