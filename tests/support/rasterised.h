// Figures as other programs show them: SVG by librsvg, PDF by Poppler, at one pixel of the figure a
// pixel.
#pragma once

#include <filesystem>
#include <string>

#include "render/capture/png.h"

namespace lanescope::test {

// The program that shows such files, by their ending; empty where it is not installed.
std::string rasteriser_of(const std::filesystem::path& figure);

// Fails the test, and gives an empty picture, when the program complains about the file.
render::ImageFile rasterised(const std::filesystem::path& figure);

// The text of a PDF, as pdftotext finds it.
std::string text_of(const std::filesystem::path& pdf);

// Mean difference of all channels, of 255, after both were made smaller `times` fold: letters lie
// a fraction of a pixel apart from one program to the next. Infinite for different sizes.
double difference(const render::ImageFile& one, const render::ImageFile& other, int times = 4);

// The same, but what stands up to eight pixels further left or right in the other picture is found:
// a line of words ends a few pixels earlier where advances of letters are not whole pixels. What
// only one of the two shows counts whole, whichever it is.
double missing(const render::ImageFile& one, const render::ImageFile& other);

} // namespace lanescope::test
