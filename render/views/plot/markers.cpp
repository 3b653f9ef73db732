// Draws each mark as areas and lines of a Painter.
#include "render/views/plot/markers.h"

#include <array>
#include <cmath>
#include <numbers>

namespace lanescope::render {
namespace {

constexpr int circle_points = 13; // per half

void disc(Painter& painter, glm::vec2 at, float radius, Colour colour)
{
    std::array<glm::vec2, circle_points> upper, lower;
    for (int i = 0; i < circle_points; ++i) {
        const float angle = std::numbers::pi_v<float> * static_cast<float>(i) / (circle_points - 1);
        const glm::vec2 offset{-std::cos(angle) * radius, std::sin(angle) * radius};
        upper[i] = {at.x + offset.x, at.y - offset.y};
        lower[i] = at + offset;
    }
    painter.area(upper, lower, colour);
}

// Corner offsets from the centre; left and right are symmetric, and top or bottom may be flat.
struct Kite {
    glm::vec2 left;
    float top;
    float bottom;
};

void draw(Painter& painter, glm::vec2 at, const Kite& kite, Colour colour)
{
    const glm::vec2 right{-kite.left.x, kite.left.y};
    painter.area(std::array{at + kite.left, at + glm::vec2{0, kite.top}, at + right},
                 std::array{at + kite.left, at + glm::vec2{0, kite.bottom}, at + right}, colour);
}

void star(Painter& painter, glm::vec2 at, glm::vec2 arm, float width, Colour colour)
{
    const glm::vec2 across{-arm.y, arm.x};
    painter.line(at - arm, at + arm, colour, width);
    painter.line(at - across, at + across, colour, width);
}

} // namespace

Colour series_colour(const Theme& theme, int place)
{
    return theme.series[static_cast<std::size_t>(place) % theme.series.size()];
}

void draw_marker(Painter& painter, glm::vec2 at, float size_px, int place, Colour colour)
{
    const float r = size_px / 2;
    switch (place % marker_shapes) {
    case 0: disc(painter, at, r, colour); break;
    case 1: painter.fill({at.x - 0.85f * r, at.y - 0.85f * r, 1.7f * r, 1.7f * r}, colour); break;
    case 2: draw(painter, at, {{-1.1f * r, 0.8f * r}, -1.1f * r, 0.8f * r}, colour); break;
    case 3: draw(painter, at, {{-1.2f * r, 0}, -1.2f * r, 1.2f * r}, colour); break;
    case 4: star(painter, at, {0.8f * r, 0.8f * r}, 0.5f * r, colour); break;
    case 5: draw(painter, at, {{-1.1f * r, -0.8f * r}, -0.8f * r, 1.1f * r}, colour); break;
    default: star(painter, at, {1.1f * r, 0}, 0.5f * r, colour); break;
    }
}

} // namespace lanescope::render
