// Compact pictures for web pages.
#pragma once

#include <string>

#include "render/capture/png.h"

namespace lanescope::render {

// Like encode_png, but with at most 256 colours if no colour changes by more than 16 of 256: a
// tenth of the bytes for a plot or heatmap.
std::string encode_small_png(const Pixels& pixels, const PngText& text = {});

} // namespace lanescope::render
