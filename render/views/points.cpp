// The points' program, and the cube around them.
#include "render/views/points.h"

#include <glm/vec4.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/gl/depth.h"

namespace lanescope::render {
namespace {

// Fewer points are larger; this many discs side by side would cover a part of the picture.
float radius_px(int count, float height_px)
{
    constexpr float covered = 0.35f;
    const float radius = covered * height_px / std::sqrt(static_cast<float>(std::max(count, 1)));
    return std::clamp(radius, 0.0015f * height_px, 0.012f * height_px);
}

glm::mat4 flat_matrix(const Placement& placement)
{
    const glm::dvec2 size(placement.viewport.width, placement.viewport.height);
    const glm::dvec2 scale = placement.size / size;
    const glm::dvec2 centre = (placement.origin + placement.size / 2.0) / size * 2.0 - 1.0;
    glm::mat4 matrix(0.0f);
    matrix[0][0] = static_cast<float>(scale.x);
    matrix[1][1] = static_cast<float>(scale.y);
    matrix[3] = glm::vec4(static_cast<float>(centre.x), static_cast<float>(centre.y), 0, 1);
    return matrix;
}

float aspect_of(float width, float height)
{
    return width / std::max(height, 1.0f);
}

} // namespace

PointsView::PointsView()
    : program_("shaders/points.vert", "shaders/points.frag"), vertices_(GL_RGBA32F)
{
}

void PointsView::draw(const PointsData& data, const Scale& scale, const PixelRect& viewport,
                      const glm::mat4& clip_from_world, float height_px)
{
    glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
    vertices_.attach(data.buffer);
    vertices_.bind(0);
    program_.set("vertices", 0);
    maps_.set(program_, scale, 1);
    program_.set("clip_from_world", clip_from_world);
    program_.set("pixels_to_clip", 2.0f / glm::vec2(viewport.width, viewport.height));
    program_.set("radius_px", radius_px(data.count, height_px));
    program_.set("centre_w", clip_from_world[3][3]);
    program_.use();
    array_.bind();
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, data.count);
    glDisable(GL_BLEND);
    gl::check();
}

void PointsView::draw(const PointsData& data, const Scale& scale, const Camera& camera,
                      const PixelRect& viewport)
{
    if (data.count < 1 || viewport.width < 1 || viewport.height < 1) return;
    gl::clear_depth(viewport.x, viewport.y, viewport.width, viewport.height);
    const auto width = static_cast<float>(viewport.width);
    const auto height = static_cast<float>(viewport.height);
    glEnable(GL_DEPTH_TEST);
    draw(data, scale, viewport, camera.matrix(aspect_of(width, height)),
         height * Camera{}.distance / camera.distance);
    glDisable(GL_DEPTH_TEST);
}

void PointsView::draw(const PointsData& data, const Scale& scale, const Placement& placement)
{
    const PixelRect& viewport = placement.viewport;
    if (data.count < 1 || viewport.width < 1 || viewport.height < 1) return;
    draw(data, scale, viewport, flat_matrix(placement), static_cast<float>(placement.size.y));
}

void draw_cube(Painter& painter, const Box& box, const Camera& camera, Colour colour,
               float width_px)
{
    const glm::mat4 matrix = camera.matrix(aspect_of(box.width, box.height));
    std::array<glm::vec4, 8> corners{};
    for (int i = 0; i < 8; ++i)
        corners[static_cast<std::size_t>(i)] =
            matrix * glm::vec4(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1, 1);
    const auto place = [&](const glm::vec4& corner) {
        const glm::vec2 at = glm::vec2(corner) / corner.w;
        return glm::vec2(box.x + (at.x + 1) / 2 * box.width, box.y + (1 - at.y) / 2 * box.height);
    };
    constexpr float nearest = 0.1f; // corners behind the viewer have no place
    for (std::size_t i = 0; i < 8; ++i)
        for (const std::size_t axis : {1u, 2u, 4u}) {
            const std::size_t other = i | axis;
            if (other == i || corners[i].w < nearest || corners[other].w < nearest) continue;
            painter.line(place(corners[i]), place(corners[other]), colour, width_px);
        }
}

} // namespace lanescope::render
