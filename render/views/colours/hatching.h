// Hatching that marks values above a scale's top. A shader draws it over the picture, a painter in
// the legend; the lines are the same.
#pragma once

#include "render/gl/program.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

struct Hatching {
    float spacing_px = 6; // horizontal distance between lines
    float width_px = 1;
    Colour colour;
};

// Hatching for a text size. Dark in every theme, since the tops of scales are light.
Hatching hatching(float text_px);

// Sets the uniforms of shaders/above.glsl.
void set(gl::Program& program, const Scale& scale, const Hatching& hatching);

// Appearance of a map's values.
struct MapStyle {
    const Scale& scale;
    Colour without;           // for missing values: borders between warps, untouched sectors
    const Hatching& hatching; // for values above the scale
};

} // namespace lanescope::render
