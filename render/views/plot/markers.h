// Plot marks: colours that are safe for colour-blind readers, and shapes that work without colour.
#pragma once

#include "render/views/paint/painter.h"

namespace lanescope::render {

inline constexpr int marker_shapes = 7;

// Colour of the series at this index; repeats after six.
Colour series_colour(const Theme& theme, int place);

// Draws one of marker_shapes distinct shapes, `size_px` across.
void draw_marker(Painter& painter, glm::vec2 at, float size_px, int place, Colour colour);

} // namespace lanescope::render
