// What views of cells (fields, images, maps) hand to shaders/cells.glsl: the part of a placed
// picture that can be seen.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "render/gl/program.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

// Whether colours of cells smaller than pixels are computed into an image and then drawn: on GPUs,
// because those made for computing have few units that fetch for a picture (an H100 fetched 16
// billion texels a second while it drew); not by software, for which both are the same work.
// LANESCOPE_CELLS=computed or =drawn decides it for tests.
gl::Stage stage_of_cells();

// The builds of a shader that includes cells.glsl: for cells larger than pixels, and, for pixels
// larger than cells, one for each number of samples along a pixel's side.
class CellPrograms {
public:
    // `definition` is defined in all builds, unless it is empty.
    explicit CellPrograms(std::string_view fragment_path, std::string_view definition = {});
    gl::LazyProgram& choose(int width, int height, const Placement& placement);
    // Along a pixel's side, of what was chosen last; 1 before.
    int samples() const { return samples_; }
    // Compiles that for cells larger than pixels and that for so many samples, one at a time; false
    // when both are. The others wait until they are chosen: a GPU's driver may take a tenth of a
    // second for one.
    bool prepare(int samples = 1);

private:
    std::array<gl::LazyProgram, 4> by_samples_; // the first for cells larger than pixels
    int samples_ = 1;
};

// Draws the visible part of a picture of width × height cells with the chosen program, which is
// already given everything else.
class CellDrawing {
public:
    void draw(gl::LazyProgram& program, int width, int height, const Placement& placement);

private:
    void compute(gl::Program& program, glm::ivec2 corner, glm::ivec2 extent);

    gl::VertexArray array_;
    std::optional<gl::Texture> computed_; // as large as the largest picture was
    gl::LazyProgram draws_computed_{"shaders/rect.vert", "shaders/computed.frag"};
};

} // namespace lanescope::render
