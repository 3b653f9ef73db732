// Where a picture is on the screen, and what the mouse points at.
#pragma once

#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include "render/views/paint/pixels.h"

namespace lanescope::render {

// Zoom and position: zoom 1 shows the whole picture; `centre` is in [0, 1] from the picture's lower
// left.
struct PanZoom {
    glm::dvec2 centre{0.5, 0.5};
    double zoom = 1;

    // Zooms by `factor` around the picture's point `fixed`, within 1 to 400.
    void zoom_at(glm::dvec2 fixed, double factor);
    // Pans by a fraction of the visible part.
    void pan(glm::dvec2 by);
    friend bool operator==(const PanZoom&, const PanZoom&) = default;
};

// A picture fitted into a viewport, keeping its aspect ratio.
struct Placement {
    PixelRect viewport;  // framebuffer pixels, from the lower left
    glm::dvec2 origin{}; // the picture's lower left, in pixels of the viewport
    glm::dvec2 size{};   // the whole picture, in pixels

    // Maps framebuffer pixels (from the lower left) to the picture's [0, 1]²; values outside mean
    // outside the picture.
    glm::dvec2 to_picture(glm::dvec2 pixel) const;
};

// `aspect` is the picture's width over height; 0 stretches it over the viewport.
Placement place(const PixelRect& viewport, double aspect, const PanZoom& pan_zoom = {});

} // namespace lanescope::render
