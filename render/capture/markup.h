// Texts and bytes inside files of markup: SVG, HTML.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::render {

// Text that stands for itself, in elements and in attributes.
std::string escape(std::string_view text);

std::string base64(std::string_view bytes);

} // namespace lanescope::render
