// What views of cells (fields, images, maps) hand to shaders/cells.glsl: the part of a placed
// picture that can be seen.
#pragma once

#include <array>
#include <string_view>

#include "render/gl/program.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

// The builds of a shader that includes cells.glsl: for cells larger than pixels, and, for pixels
// larger than cells, one for each number of samples along a pixel's side.
class CellPrograms {
public:
    // `definition` is defined in all builds, unless it is empty.
    explicit CellPrograms(std::string_view fragment_path, std::string_view definition = {});
    gl::Program& choose(int width, int height, const Placement& placement);
    // Compiles one that is not yet; false when all are.
    bool prepare();

private:
    std::array<gl::LazyProgram, 4> by_taps_; // the first for cells larger than pixels
};

// Draws the visible part of a picture of width × height cells with the chosen `program`, which is
// already given everything else.
void draw_cells(gl::Program& program, const gl::VertexArray& array, int width, int height,
                const Placement& placement);

} // namespace lanescope::render
