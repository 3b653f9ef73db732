// Sets the uniforms of shaders/cells.glsl from a placement.
#include "render/views/paint/cells.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "render/context/context_info.h"

namespace lanescope::render {

namespace {

double cells_per_pixel(int width, int height, const Placement& placement)
{
    return std::max(width / placement.size.x, height / placement.size.y);
}

// Samples per pixel side, from 1 (cells larger than pixels) to 4.
int samples_for(double cells_per_px)
{
    return static_cast<int>(std::clamp(std::ceil(cells_per_px - 0.01), 1.0, 4.0));
}

} // namespace

gl::Stage stage_of_cells()
{
#ifdef __EMSCRIPTEN__
    return gl::Stage::draws;
#else
    const char* const wanted = std::getenv("LANESCOPE_CELLS");
    const bool computes =
        wanted ? std::string_view(wanted) == "computed" : !describe_context({}).software;
    return computes ? gl::Stage::computes : gl::Stage::draws;
#endif
}

CellPrograms::CellPrograms(std::string_view fragment_path, std::string_view definition)
    : by_samples_{{{"shaders/rect.vert", fragment_path, definition},
                   {"shaders/rect.vert", fragment_path, definition, "TAPS 2"},
                   {"shaders/rect.vert", fragment_path, definition, "TAPS 3"},
                   {"shaders/rect.vert", fragment_path, definition, "TAPS 4"}}}
{
    // With one sample per pixel, drawing directly is just as fast.
    if (stage_of_cells() == gl::Stage::computes)
        for (std::size_t i = 1; i < by_samples_.size(); ++i) by_samples_[i].compute();
}

gl::LazyProgram& CellPrograms::choose(int width, int height, const Placement& placement)
{
    samples_ = samples_for(cells_per_pixel(width, height, placement));
    return by_samples_[static_cast<std::size_t>(samples_) - 1];
}

bool CellPrograms::prepare(int samples)
{
    return by_samples_[0].prepare() || by_samples_[static_cast<std::size_t>(samples) - 1].prepare();
}

void CellDrawing::draw(gl::LazyProgram& chosen, int width, int height, const Placement& placement)
{
    const glm::dvec2 whole{placement.viewport.width, placement.viewport.height};
    const glm::dvec2 lower = glm::clamp(placement.origin, glm::dvec2(0), whole);
    const glm::dvec2 upper = glm::clamp(placement.origin + placement.size, glm::dvec2(0), whole);
    if (lower.x >= upper.x || lower.y >= upper.y) return;

    const glm::dvec2 cells_per_px = glm::dvec2(width, height) / placement.size;
    // Pixel coordinates start at the framebuffer's corner.
    const glm::dvec2 viewport(placement.viewport.x, placement.viewport.y);
    gl::Program* program = &chosen.get();
    program->set("size", glm::ivec2(width, height));
    program->set("cell_origin", glm::vec2(-(viewport + placement.origin) * cells_per_px));
    program->set("cells_per_px", glm::vec2(cells_per_px));
    if (chosen.stage() == gl::Stage::computes) {
        const glm::ivec2 corner(glm::floor(viewport + lower));
        compute(*program, corner, glm::ivec2(glm::ceil(viewport + upper)) - corner);
        program = &draws_computed_.get();
        program->set("computed", 0);
        program->set("corner", corner);
    }
    const glm::dvec2 from = lower / whole * 2.0 - 1.0;
    const glm::dvec2 to = upper / whole * 2.0 - 1.0;
    program->set("rect", glm::vec4(from.x, from.y, to.x, to.y));

    program->use();
    array_.bind();
    glViewport(placement.viewport.x, placement.viewport.y, placement.viewport.width,
               placement.viewport.height);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl::check();
}

#ifdef __EMSCRIPTEN__
void CellDrawing::compute(gl::Program&, glm::ivec2, glm::ivec2) {}
#else
void CellDrawing::compute(gl::Program& program, glm::ivec2 corner, glm::ivec2 extent)
{
    if (!computed_ || computed_->width() < extent.x || computed_->height() < extent.y) {
        const glm::ivec2 before =
            computed_ ? glm::ivec2(computed_->width(), computed_->height()) : glm::ivec2(0);
        computed_.reset();
        const glm::ivec2 size = glm::max(before, extent);
        computed_.emplace(GL_RGBA8, size.x, size.y);
    }
    program.set("corner", corner);
    program.set("extent", extent);
    program.use();
    glBindImageTexture(0, computed_->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    constexpr int side = 8;                              // work group size, as in
                                                         // shaders/cells.glsl
    glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT); // after earlier reads of the image
    glDispatchCompute(static_cast<GLuint>((extent.x + side - 1) / side),
                      static_cast<GLuint>((extent.y + side - 1) / side), 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    glBindTextureUnit(0, computed_->id());
}
#endif

} // namespace lanescope::render
