// The decoders of the formats, and the limits that they share.
#pragma once

#include <cstdint>
#include <string_view>

#include "compute/pictures/pictures.h"

namespace lanescope::pictures {

// Throws Problem if the picture has no pixels, or more than the limits allow.
void check_size(std::uint32_t width, std::uint32_t height);

// Requires is_png() to hold for the bytes.
Pixels decode_png(std::string_view bytes);
Pixels decode_jpeg(std::string_view bytes);

} // namespace lanescope::pictures
