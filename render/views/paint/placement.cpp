// Fitting, zooming, and mapping pixels back to the picture.
#include "render/views/paint/placement.h"

#include <glm/common.hpp>

#include <algorithm>

namespace lanescope::render {
namespace {

// Keeps the visible part inside the picture.
void keep_inside(PanZoom& view)
{
    const double half = 0.5 / view.zoom;
    view.centre = glm::clamp(view.centre, glm::dvec2(half), glm::dvec2(1 - half));
}

} // namespace

void PanZoom::zoom_at(glm::dvec2 fixed, double factor)
{
    const double wanted = std::clamp(zoom * factor, 1.0, 400.0);
    centre = fixed + (centre - fixed) * (zoom / wanted);
    zoom = wanted;
    keep_inside(*this);
}

void PanZoom::pan(glm::dvec2 by)
{
    centre += by / zoom;
    keep_inside(*this);
}

glm::dvec2 Placement::to_picture(glm::dvec2 pixel) const
{
    return (pixel - glm::dvec2(viewport.x, viewport.y) - origin) / size;
}

Placement place(const PixelRect& viewport, double aspect, const PanZoom& pan_zoom)
{
    const glm::dvec2 room{std::max(viewport.width, 1), std::max(viewport.height, 1)};
    glm::dvec2 size = room;
    if (aspect > 0) {
        size.x = std::min(room.x, room.y * aspect);
        size.y = size.x / aspect;
    }
    size *= pan_zoom.zoom;
    glm::dvec2 origin = room / 2.0 - pan_zoom.centre * size;
    // Snaps to whole pixels at zoom 1, so that a picture of the viewport's size is shown exactly.
    if (pan_zoom.zoom == 1) origin = glm::floor(origin + 0.5);
    return {viewport, origin, size};
}

} // namespace lanescope::render
