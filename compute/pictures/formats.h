// The decoders of the formats, and the limits that they share.
#pragma once

#include <cstdint>
#include <string_view>

#include "compute/pictures/pictures.h"

namespace lanescope::pictures {

// Throws Problem for a picture of more pixels than the limits allow, or of none.
void check_size(std::uint32_t width, std::uint32_t height);

// Of bytes that is_png() holds for.
Pixels decode_png(std::string_view bytes);
Pixels decode_jpeg(std::string_view bytes);

} // namespace lanescope::pictures
