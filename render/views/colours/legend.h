// The colour bar with ticks, quantity and unit, and whether its range is fixed.
#pragma once

#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// Width of an upright legend at this text size, independent of its content: long titles wrap.
float legend_width(float text_px);

// Upright layout: title at the top, bar at the left with ticks to its right, "fixed range" or "auto
// range" below, then the meaning of crossed-out cells and outlines.
void draw_legend(Painter& painter, const Box& box, const Scale& scale, const Theme& theme,
                 float text_px);

} // namespace lanescope::render
