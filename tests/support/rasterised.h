// Figures rendered by other programs: SVG by librsvg, PDF by Poppler, at the figure's own
// resolution.
#pragma once

#include <filesystem>
#include <string>

#include "render/capture/png.h"

namespace lanescope::test {

// The program that renders files of this type; empty if it is not installed.
std::string rasteriser_of(const std::filesystem::path& figure);

// Fails the test and returns an empty picture if the program rejects the file.
render::ImageFile rasterised(const std::filesystem::path& figure);

// Text of a PDF, extracted by pdftotext.
std::string text_of(const std::filesystem::path& pdf);

// Mean difference of all channels, out of 255. Both are downscaled by `times` first, because letter
// positions differ by a fraction of a pixel between programs. Infinite if the sizes differ.
double difference(const render::ImageFile& one, const render::ImageFile& other, int times = 4);

// The same, but a pixel may match one up to eight pixels to its left or right: a line of text ends
// a few pixels earlier if glyph advances are fractional. Content that only one of the pictures has
// counts fully.
double missing(const render::ImageFile& one, const render::ImageFile& other);

} // namespace lanescope::test
