// The picture that is turned, and what each way of sampling must find in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/device/device.h"
#include "compute/labs/image_file.h"

namespace lanescope::labs::rotate {

// A test chart: a house in the sun, with fine lines, checkerboards and a star, on colours that
// differ from corner to corner.
Rgba8Image chart(int size);

// How a pixel's place in the source follows from its place in the picture. Sines and cosines are
// divided by the zoom.
struct Turn {
    float cosine = 1;
    float sine = 0;
    float shift = 0.5F; // 0: the half-texel mistake
};

// The smallest and the largest value that a channel may have.
struct Range {
    double low = 0;
    double high = 0;
};

struct Sampler {
    const Rgba8Image& source;
    device::AddressMode mode;
    device::Filter filter;
    bool texture_unit =
        false; // whether the hardware's rounding of places and weights is allowed for
};

// What the picture (width × height pixels) may hold at (x, y): four channels, in levels from 0 to
// 255.
std::array<Range, 4> allowed(const Sampler& sampler, const Turn& turn, int width, int height, int x,
                             int y);

} // namespace lanescope::labs::rotate
