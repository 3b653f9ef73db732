// Words: counted things, and sentences inside a box.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

// "1 sector", "4 sectors".
std::string counted(std::size_t count, std::string_view thing);

// Lines at most `width` wide, broken at spaces; a word that is wider stands alone.
std::vector<std::string> broken(Painter& painter, std::string_view text, float width,
                                const TextStyle& style);

// In the middle of the box, line below line.
void draw_words(Painter& painter, const Box& box, std::string_view text, const TextStyle& style);

// `text`, shortened by "…" where it is wider than that.
std::string fitted(Painter& painter, std::string_view text, float width, const TextStyle& style);

} // namespace lanescope::render
