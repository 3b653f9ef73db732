// The files embedded in the program: kernels and their PTX, lessons, shaders, colour maps, fonts.
// They are found by their path in the source tree (fonts: fonts/NAME).
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

// The bytes of the file at `path`; empty if there is none.
std::optional<std::string_view> find(std::string_view path);

} // namespace lanescope::assets
