// The grid's indices, the camera's matrices and the surface's program.
#include "render/views/surface.h"

#include <glm/gtc/matrix_transform.hpp>
#include <glm/trigonometric.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "render/context/context_info.h"

namespace lanescope::render {
namespace {

constexpr std::uint32_t restart = 0xffffffffu;

// 0, step, 2·step, …, and the last one whatever the step.
std::vector<std::uint32_t> every(int count, int step)
{
    std::vector<std::uint32_t> kept;
    for (int i = 0; i < count - 1; i += step) kept.push_back(static_cast<std::uint32_t>(i));
    kept.push_back(static_cast<std::uint32_t>(count - 1));
    return kept;
}

} // namespace

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
    constexpr float narrow = 1.1f; // below this aspect the width decides, so that nothing is cut
    const float half = std::atan(std::tan(half_angle) * std::max(1.0f, narrow / aspect));
    return glm::perspective(2 * half, aspect, 0.05f, 60.0f) * view;
}

SurfaceView::SurfaceView()
    : program_("shaders/surface.vert", "shaders/surface.frag"), vertices_(GL_RGBA32F),
      fluent_cells_(describe_context({}).software ? 192 : 1024)
{
}

void SurfaceView::make_indices(const Shape& shape)
{
    const auto columns = every(shape.columns, shape.step);
    const auto rows = every(shape.rows, shape.step);
    std::vector<std::uint32_t> indices;
    indices.reserve((2 * columns.size() + 1) * rows.size());
    for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
        for (const std::uint32_t column : columns) {
            indices.push_back(rows[row + 1] * static_cast<std::uint32_t>(shape.columns) + column);
            indices.push_back(rows[row] * static_cast<std::uint32_t>(shape.columns) + column);
        }
        indices.push_back(restart);
    }
    indices_.emplace(indices.size() * sizeof(std::uint32_t), 0, indices.data());
    index_count_ = static_cast<int>(indices.size());
    glVertexArrayElementBuffer(array_.id(), indices_->id());
    shape_ = shape;
}

void SurfaceView::draw(const SurfaceData& data, const Scale& scale, const Camera& camera,
                       const PixelRect& viewport, std::optional<int> most_cells)
{
    if (data.columns < 2 || data.rows < 2) return;
    const int cells = std::max(data.columns, data.rows) - 1;
    const int most = std::max(most_cells.value_or(fluent_cells_), 1);
    const Shape shape{data.columns, data.rows, (cells + most - 1) / most};
    if (shape_ != shape) make_indices(shape);

    glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
    // Inside a caller's scissor (a divider between two surfaces) only that part is cleared.
    const bool cut = glIsEnabled(GL_SCISSOR_TEST) == GL_TRUE;
    if (!cut) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(viewport.x, viewport.y, viewport.width, viewport.height);
    }
    glClear(GL_DEPTH_BUFFER_BIT);
    if (!cut) glDisable(GL_SCISSOR_TEST);

    vertices_.attach(data.buffer);
    vertices_.bind(0);
    program_.set("vertices", 0);
    program_.set("size", glm::ivec2(data.columns, data.rows));
    program_.set("spacing", shape.step);
    maps_.set(program_, scale, 1);
    const float aspect =
        static_cast<float>(viewport.width) / static_cast<float>(std::max(viewport.height, 1));
    program_.set("clip_from_world", camera.matrix(aspect));

    program_.use();
    array_.bind();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    glDrawElements(GL_TRIANGLE_STRIP, index_count_, GL_UNSIGNED_INT, nullptr);
    glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    glDisable(GL_DEPTH_TEST);
    gl::check();
}

} // namespace lanescope::render
