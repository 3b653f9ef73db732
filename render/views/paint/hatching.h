// Hatching marks what lies above a scale's top: the same lines over the picture, by a shader, and
// in the legend, by a painter.
#pragma once

#include "render/gl/program.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

struct Hatching {
    float apart_px = 6; // from line to line, to the right
    float width_px = 1;
    Colour colour;
};

// At that size of the text around it. Dark in every theme: the tops of scales are light.
Hatching hatching(float text_px);

// Gives a program what shaders/above.glsl needs.
void set(gl::Program& program, const Scale& scale, const Hatching& hatching);

// How the values of a map look.
struct MapStyle {
    const Scale& scale;
    Colour without; // what has no value: borders between warps, sectors that nobody touched
    const Hatching& hatching; // of what lies above the scale
};

} // namespace lanescope::render
