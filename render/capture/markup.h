// Text and bytes inside markup files: SVG, HTML.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::render {

// Escapes text for use in elements and attributes.
std::string escape(std::string_view text);

std::string base64(std::string_view bytes);

} // namespace lanescope::render
