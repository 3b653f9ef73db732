// Inputs of shaders/cells.glsl from views of cells (fields, images, maps): the visible part of a
// placed picture.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "render/gl/program.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

// Chooses whether colours of cells smaller than pixels are computed into an image and then drawn.
// On data-centre GPUs, which have few texture units for graphics, computing is faster (an H100
// fetched 16 billion texels per second while drawing); in software both are the same work.
// LANESCOPE_CELLS=computed or =drawn overrides it for tests.
gl::Stage stage_of_cells();

// Variants of a shader that includes cells.glsl: one for cells larger than pixels and, for smaller
// cells, one per number of samples per pixel side.
class CellPrograms {
public:
    // `definition` is a macro defined in all variants, unless empty.
    explicit CellPrograms(std::string_view fragment_path, std::string_view definition = {});
    gl::LazyProgram& choose(int width, int height, const Placement& placement);
    // Samples per pixel side of the last choice; initially 1.
    int samples() const { return samples_; }
    // Compiles the variant for cells larger than pixels and the one for `samples`, one per call;
    // returns false when both exist. The others are compiled when chosen: a GPU driver may take 100
    // ms for one.
    bool prepare(int samples = 1);

private:
    std::array<gl::LazyProgram, 4> by_samples_; // the first is for cells larger than pixels
    int samples_ = 1;
};

// Draws the visible part of a picture of width × height cells with the chosen program, whose other
// uniforms are already set.
class CellDrawing {
public:
    void draw(gl::LazyProgram& program, int width, int height, const Placement& placement);

private:
    void compute(gl::Program& program, glm::ivec2 corner, glm::ivec2 extent);

    gl::VertexArray array_;
    std::optional<gl::Texture> computed_; // as large as the largest picture so far
    gl::LazyProgram draws_computed_{"shaders/rect.vert", "shaders/computed.frag"};
};

} // namespace lanescope::render
