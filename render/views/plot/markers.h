// The marks of plots: colours that colour-blind people tell apart, and shapes that need no colour
// at all.
#pragma once

#include "render/views/paint/painter.h"

namespace lanescope::render {

inline constexpr int marker_shapes = 7;

// The colour of the series at this place in the order; they come again after six.
Colour series_colour(const Theme& theme, int place);

// A shape of its own for each of marker_shapes places, `size_px` across.
void draw_marker(Painter& painter, glm::vec2 at, float size_px, int place, Colour colour);

} // namespace lanescope::render
