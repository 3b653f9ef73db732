// PNG files: pictures with texts inside (a session, say), and pictures from anywhere as input.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/capture/pixels.h"

namespace lanescope::render {

using PngText = std::map<std::string, std::string>; // key (1 to 79 Latin letters) → any UTF-8 text

// The same picture and texts give the same bytes. Nothing half-written ever has the name `path`.
// Throws Error (bad_usage) when the place cannot be written or the disk is full.
void write_png(const std::filesystem::path& path, const Pixels& pixels, const PngText& text = {});

// The file's bytes, as write_png writes them.
std::string encode_png(const Pixels& pixels, const PngText& text = {});

// A picture of at most 256 colours, a number of one of them for each pixel, the first row at the
// top.
struct IndexedPixels {
    int width = 0;
    int height = 0;
    std::vector<std::array<std::uint8_t, 3>> colours;
    std::vector<std::uint8_t> pixels;
};

// As small as can be: it takes its time.
std::string encode_png(const IndexedPixels& pixels, const PngText& text = {});

// The texts inside a PNG file's bytes; `name` is for messages. Throws Error: not a PNG, damaged.
PngText decode_png_text(std::string_view bytes, const std::string& name);

// A picture of RGBA, the first row at the top.
struct ImageFile {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};

// Reads a PNG or JPEG of up to 16384 pixels per side. Throws Error: no such file, empty, truncated,
// too large, no picture.
ImageFile read_image(const std::filesystem::path& path);
// The same for a file in memory; `name` is for messages.
ImageFile decode_image(std::string_view bytes, const std::string& name);

} // namespace lanescope::render
