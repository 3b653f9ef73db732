// Drawing operations composed from a Painter's primitives.
#include "render/views/paint/painter.h"

#include <algorithm>
#include <array>

namespace lanescope::render {

void Painter::line(glm::vec2 from, glm::vec2 to, Colour colour, float width_px)
{
    line(std::array{from, to}, colour, width_px);
}

void Painter::outline(const Box& box, Colour colour, float width_px)
{
    fill({box.x, box.y, box.width, width_px}, colour);
    fill({box.x, box.bottom() - width_px, box.width, width_px}, colour);
    fill({box.x, box.y + width_px, width_px, box.height - 2 * width_px}, colour);
    fill({box.right() - width_px, box.y + width_px, width_px, box.height - 2 * width_px}, colour);
}

void Painter::cross_out(const Box& box, Colour colour, float width_px)
{
    line({box.x, box.y}, {box.right(), box.bottom()}, colour, width_px);
    line({box.x, box.bottom()}, {box.right(), box.y}, colour, width_px);
}

void Painter::hatch(const Box& box, Colour colour, float spacing_px, float width_px)
{
    for (float from = box.x - box.height; from < box.right(); from += spacing_px) {
        const float left = std::max(from, box.x), right = std::min(from + box.height, box.right());
        if (right > left)
            line(glm::vec2{left, box.bottom() - (left - from)},
                 glm::vec2{right, box.bottom() - (right - from)}, colour, width_px);
    }
}

} // namespace lanescope::render
