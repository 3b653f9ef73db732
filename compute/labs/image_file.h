// A user's picture (PNG, JPEG and other stb_image formats), as rows from the bottom up.
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

// Throws Error: file not found (no_such_thing), not a picture, or more than 16384 pixels per side
// (bad_usage).
Rgba8Image read_image(const std::filesystem::path& path);
// Same, from a file's bytes; `name` is used in messages.
Rgba8Image decode_image(std::string_view bytes, const std::string& name);

} // namespace lanescope::labs
