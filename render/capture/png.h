// PNG files: writes pictures with embedded texts (a session, for example), and reads pictures.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/views/paint/pixels.h"

namespace lanescope::render {

using PngText = std::map<std::string, std::string>; // key (1 to 79 Latin letters) → any UTF-8 text

// Deterministic, and atomic: `path` never names a partial file. Throws Error (bad_usage) if the
// location cannot be written or the disk is full.
void write_png(const std::filesystem::path& path, const Pixels& pixels, const PngText& text = {});

// Returns the bytes that write_png writes.
std::string encode_png(const Pixels& pixels, const PngText& text = {});

// A picture with a palette of at most 256 colours and one palette index per pixel, top row first.
struct IndexedPixels {
    int width = 0;
    int height = 0;
    std::vector<std::array<std::uint8_t, 3>> colours;
    std::vector<std::uint8_t> pixels;
};

// Slow; optimises for the smallest file.
std::string encode_png(const IndexedPixels& pixels, const PngText& text = {});

// Reads the texts in a PNG's bytes; `name` is used in messages. Throws Error: not a PNG, damaged.
PngText decode_png_text(std::string_view bytes, const std::string& name);

// An RGBA picture, top row first.
struct ImageFile {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};

// Reads a PNG or JPEG of up to 16384 pixels per side. Throws Error: no such file, empty, truncated,
// too large, not a picture.
ImageFile read_image(const std::filesystem::path& path);
// The same for a file in memory; `name` is used in messages.
ImageFile decode_image(std::string_view bytes, const std::string& name);

} // namespace lanescope::render
