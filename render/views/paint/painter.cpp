// Drawing that every Painter composes from its own few operations.
#include "render/views/paint/painter.h"

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

} // namespace lanescope::render
