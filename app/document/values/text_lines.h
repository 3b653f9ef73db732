// Access to a text by line.
#pragma once

#include <string_view>
#include <vector>

namespace lanescope::app {

// Lines without their ends; a text that ends with a newline has an empty last line.
std::vector<std::string_view> lines_of(std::string_view text);

// True for continuation bytes of UTF-8 (10xxxxxx).
constexpr bool continues(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

} // namespace lanescope::app
