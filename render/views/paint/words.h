// Sentences inside a box.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

// Lines at most `width` wide, broken at spaces; a word that is wider stands alone.
std::vector<std::string> broken(Painter& painter, std::string_view text, float width,
                                const TextStyle& style);

inline constexpr float line_em = 1.2f; // from line to line of draw_lines()

// From the upper left of the box down, line below line; a word that is wider is written smaller.
// Gives the baseline of the line that would follow.
float draw_lines(Painter& painter, const Box& box, std::string_view text, const TextStyle& style);

// In the middle of the box, line below line.
void draw_words(Painter& painter, const Box& box, std::string_view text, const TextStyle& style);

// The style in which a line of code is at most `width` wide: smaller, but not below what the last
// row reads at 1280 x 720 (a quarter smaller in smaller pictures).
TextStyle code_fitting(Painter& painter, std::string_view code, float width,
                       const TextStyle& style);

// `text`, shortened by "…" where it is wider than that.
std::string fitted(Painter& painter, std::string_view text, float width, const TextStyle& style);

} // namespace lanescope::render
