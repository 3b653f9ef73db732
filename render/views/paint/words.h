// Text inside a box.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

// Wraps at spaces to lines of at most `width`; a longer word gets its own line.
std::vector<std::string> broken(Painter& painter, std::string_view text, float width,
                                const TextStyle& style);

inline constexpr float line_em = 1.2f; // line height of draw_lines()

// Draws lines from the upper left of the box down; a word that is too wide is drawn smaller.
// Returns the baseline of the next line.
float draw_lines(Painter& painter, const Box& box, std::string_view text, const TextStyle& style);

// Draws centred lines.
void draw_words(Painter& painter, const Box& box, std::string_view text, const TextStyle& style);

// Shrinks the style so that a line of code is at most `width` wide, but not below what is legible
// from the back of a lecture hall at 1280 × 720 (25% smaller in smaller pictures).
TextStyle style_fitting_code(Painter& painter, std::string_view code, float width,
                             const TextStyle& style);

// Returns `text`, truncated with "…" if it is too wide.
std::string fitted(Painter& painter, std::string_view text, float width, const TextStyle& style);

} // namespace lanescope::render
