// What views of cells (fields, images, maps) hand to shaders/cells.glsl: the part of a placed
// picture that can be seen.
#pragma once

#include "render/gl/program.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

// The two builds of a shader that includes cells.glsl: for cells larger than pixels, and for pixels
// larger than cells.
class CellPrograms {
public:
    // `definition` is defined in both builds, unless it is empty.
    explicit CellPrograms(std::string_view fragment_path, std::string_view definition = {});
    gl::Program& choose(int width, int height, const Placement& placement);
    // Compiles one that is not yet; false when both are.
    bool prepare() { return magnified_.prepare() || minified_.prepare(); }

private:
    gl::LateProgram magnified_;
    gl::LateProgram minified_;
};

// Draws the visible part of a picture of width × height cells with the chosen `program`, which is
// already given everything else.
void draw_cells(gl::Program& program, const gl::VertexArray& array, int width, int height,
                const Placement& placement);

// Samples along a pixel's side, from 1 (cells larger than pixels) to 4.
int taps_for(double cells_per_px);

} // namespace lanescope::render
