// The colour bar with its ticks, quantity and unit, and whether the scale is fixed.
#pragma once

#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// How wide an upright legend is at this text size, whatever it says: its title is broken into
// lines.
float legend_width(float text_px);

// Upright: title above, bar at the left with ticks at its right, "fixed range" or "auto range"
// below.
void draw_legend(Painter& painter, const Box& box, const Scale& scale, const Theme& theme,
                 float text_px);

} // namespace lanescope::render
