// Viewpoint of a surface in space.
#pragma once

#include <glm/mat4x4.hpp>

namespace lanescope::render {

// Looks at the origin; x to the right, y away, z up at azimuth 0.
struct Camera {
    float azimuth_degrees = 35;
    float elevation_degrees = 35; // kept within ±89 by orbit()
    float distance = 3.2f;

    // Rotates by a drag in pixels; a drag over half the viewport's height is a quarter turn.
    void orbit(float right_px, float up_px, float viewport_height_px);
    void zoom(float factor);              // keeps the distance within 1.2 to 20
    glm::mat4 matrix(float aspect) const; // world to clip coordinates
    friend bool operator==(const Camera&, const Camera&) = default;
};

} // namespace lanescope::render
