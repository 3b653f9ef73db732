// The uniforms that shaders/cells.glsl reads, from a placement.
#include "render/views/paint/cells.h"

#include <algorithm>
#include <cmath>

namespace lanescope::render {

namespace {

double cells_per_pixel(int width, int height, const Placement& placement)
{
    return std::max(width / placement.size.x, height / placement.size.y);
}

// From 1 (cells larger than pixels) to 4.
std::size_t taps_for(double cells_per_px)
{
    return static_cast<std::size_t>(std::clamp(std::ceil(cells_per_px - 0.01), 1.0, 4.0));
}

} // namespace

CellPrograms::CellPrograms(std::string_view fragment_path, std::string_view definition)
    : by_taps_{{{"shaders/rect.vert", fragment_path, definition},
                {"shaders/rect.vert", fragment_path, definition, "TAPS 2"},
                {"shaders/rect.vert", fragment_path, definition, "TAPS 3"},
                {"shaders/rect.vert", fragment_path, definition, "TAPS 4"}}}
{
}

gl::Program& CellPrograms::choose(int width, int height, const Placement& placement)
{
    return by_taps_[taps_for(cells_per_pixel(width, height, placement)) - 1].get();
}

bool CellPrograms::prepare()
{
    return std::ranges::any_of(by_taps_, [](gl::LazyProgram& one) { return one.prepare(); });
}

void draw_cells(gl::Program& program, const gl::VertexArray& array, int width, int height,
                const Placement& placement)
{
    const glm::dvec2 whole{placement.viewport.width, placement.viewport.height};
    const glm::dvec2 lower = glm::clamp(placement.origin, glm::dvec2(0), whole);
    const glm::dvec2 upper = glm::clamp(placement.origin + placement.size, glm::dvec2(0), whole);
    if (lower.x >= upper.x || lower.y >= upper.y) return;

    const glm::dvec2 cells_per_px = glm::dvec2(width, height) / placement.size;
    // gl_FragCoord counts from the framebuffer's corner.
    const glm::dvec2 corner =
        glm::dvec2(placement.viewport.x, placement.viewport.y) + placement.origin;
    program.set("size", glm::ivec2(width, height));
    program.set("cell_origin", glm::vec2(-corner * cells_per_px));
    program.set("cells_per_px", glm::vec2(cells_per_px));
    const glm::dvec2 from = lower / whole * 2.0 - 1.0;
    const glm::dvec2 to = upper / whole * 2.0 - 1.0;
    program.set("rect", glm::vec4(from.x, from.y, to.x, to.y));

    program.use();
    array.bind();
    glViewport(placement.viewport.x, placement.viewport.y, placement.viewport.width,
               placement.viewport.height);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl::check();
}

} // namespace lanescope::render
