// Index buffer of the grid, and the surface's program.
#include "render/views/surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "render/context/context_info.h"
#include "render/gl/depth.h"

namespace lanescope::render {
namespace {

constexpr std::uint32_t restart = 0xffffffffu;

// 0, step, 2·step, … and always the last one.
std::vector<std::uint32_t> every(int count, int step)
{
    std::vector<std::uint32_t> kept;
    for (int i = 0; i < count - 1; i += step) kept.push_back(static_cast<std::uint32_t>(i));
    kept.push_back(static_cast<std::uint32_t>(count - 1));
    return kept;
}

} // namespace

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
                       const PixelRect& viewport, std::optional<int> max_cells)
{
    if (data.columns < 2 || data.rows < 2) return;
    const int cells = std::max(data.columns, data.rows) - 1;
    const int max_side = std::max(max_cells.value_or(fluent_cells_), 1);
    const Shape shape{data.columns, data.rows, (cells + max_side - 1) / max_side};
    if (shape_ != shape) make_indices(shape);

    glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
    gl::clear_depth(viewport.x, viewport.y, viewport.width, viewport.height);

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
