// The user's picture (PNG or JPEG), as rows from the bottom up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct Rgba8Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels; // width × height × 4, row 0 at the bottom
};

// Throws Error: no such file (no_such_thing), not a picture, or too many pixels (bad_usage).
Rgba8Image read_image(const std::filesystem::path& path);
// Decodes a picture from a file's bytes; `name` is used in messages.
Rgba8Image decode_image(std::string_view bytes, const std::string& name);

} // namespace lanescope::labs
