// Camera position and matrices.
#include "render/views/paint/camera.h"

#include <glm/gtc/matrix_transform.hpp>
#include <glm/trigonometric.hpp>

#include <algorithm>
#include <cmath>

namespace lanescope::render {

void Camera::orbit(float right_px, float up_px, float viewport_height_px)
{
    const float degrees_per_px = 180.0f / std::max(viewport_height_px, 1.0f);
    azimuth_degrees = std::remainder(azimuth_degrees - right_px * degrees_per_px, 360.0f);
    elevation_degrees = std::clamp(elevation_degrees - up_px * degrees_per_px, -89.0f, 89.0f);
}

void Camera::zoom(float factor)
{
    distance = std::clamp(distance / factor, 1.2f, 20.0f);
}

glm::mat4 Camera::matrix(float aspect) const
{
    const float azimuth = glm::radians(azimuth_degrees);
    const float elevation = glm::radians(elevation_degrees);
    const glm::vec3 eye =
        distance * glm::vec3(std::sin(azimuth) * std::cos(elevation),
                             -std::cos(azimuth) * std::cos(elevation), std::sin(elevation));
    const auto view = glm::lookAt(eye, glm::vec3(0), glm::vec3(0, 0, 1));
    constexpr float half_angle = glm::radians(25.0f);
    constexpr float narrow = 1.1f; // below this aspect ratio the width determines the scale, so
                                   // that nothing is cut off
    const float half = std::atan(std::tan(half_angle) * std::max(1.0f, narrow / aspect));
    return glm::perspective(2 * half, aspect, 0.05f, 60.0f) * view;
}

} // namespace lanescope::render
