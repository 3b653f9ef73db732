// A text by its lines.
#pragma once

#include <string_view>
#include <vector>

namespace lanescope::app {

// Without their ends; a text that ends with a newline has an empty last line.
std::vector<std::string_view> lines_of(std::string_view text);

// Whether the byte continues a character that UTF-8 spreads over several.
constexpr bool continues(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

} // namespace lanescope::app
