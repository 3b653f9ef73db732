// Parses WIDTHxHEIGHT, up to the size that OpenGL guarantees.
#include "app/document/look/size.h"

#include <fmt/format.h>

#include <charconv>

#include "compute/error.h"

namespace lanescope::app {

Size parse_size(std::string_view text)
{
    constexpr int largest = 16384; // framebuffer size that OpenGL 4.5 guarantees
    Size size;
    const char* const end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    const bool separated = width.ec == std::errc{} && width.ptr != end && *width.ptr == 'x';
    if (separated) {
        const auto height = std::from_chars(width.ptr + 1, end, size.height);
        if (height.ec == std::errc{} && height.ptr == end && size.width >= 16 &&
            size.height >= 16 && size.width <= largest && size.height <= largest)
            return size;
    }
    throw Error(
        ExitStatus::bad_usage, fmt::format("\"{}\" is not the size of a picture.", text),
        fmt::format("Write it as WIDTHxHEIGHT, each from 16 to {}, such as 1920x1080.", largest));
}

} // namespace lanescope::app
