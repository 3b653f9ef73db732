// Pictures in few bytes, for pages.
#pragma once

#include <string>

#include "render/capture/png.h"

namespace lanescope::render {

// A PNG as encode_png makes it, but with at most 256 colours where that moves none by more than 16
// of 256: a tenth of its bytes, of a plot or a heatmap.
std::string encode_small_png(const Pixels& pixels, const PngText& text = {});

} // namespace lanescope::render
