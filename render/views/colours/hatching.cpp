// Line spacing of the hatching: it grows with the text, so that it is visible on a projector.
#include "render/views/colours/hatching.h"

#include <algorithm>
#include <limits>

#include <glm/vec4.hpp>

namespace lanescope::render {

Hatching hatching(float text_px)
{
    return {std::max(6.0f, std::round(0.8f * text_px)), std::max(1.0f, text_px / 14),
            dark_theme.background};
}

void set(gl::Program& program, const Scale& scale, const Hatching& hatching)
{
    // Leaves a margin for rounding, so that the mean of values at the top does not exceed it.
    program.set("top", scale.open_ended ? 1.0001f * scale.high : std::numeric_limits<float>::max());
    program.set("hatch_apart", hatching.spacing_px);
    program.set("hatch_width", hatching.width_px);
    const Colour& colour = hatching.colour;
    program.set("hatch_colour", glm::vec4(colour.red, colour.green, colour.blue, 255) / 255.0f);
}

} // namespace lanescope::render
