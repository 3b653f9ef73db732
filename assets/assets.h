// The files that the program carries inside itself: kernels and their PTX, lessons, shaders, colour
// maps, fonts. They are found by their path in the source tree (fonts: fonts/NAME).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace lanescope::assets {

struct File {
    std::string_view path;
    std::string_view bytes;
};

// Every embedded file, sorted by path. Views stay valid as long as the program runs.
std::span<const File> files();

// The bytes of the file at `path`, or nothing.
std::optional<std::string_view> find(std::string_view path);

} // namespace lanescope::assets
