// A scalar field as a picture: each value through a colour map, sharp cells when zoomed in,
// averaged when made smaller.
#pragma once

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct FieldData {
    GLuint buffer = 0; // width × height floats, row 0 at the bottom
    int width = 0;
    int height = 0;
};

class FieldView {
public:
    FieldView();
    // Compiles one program that it may need; false when all are.
    bool prepare() { return programs_.prepare(); }
    int samples() const { return programs_.samples(); } // along a pixel's side, last
    // Draws into the current framebuffer. Outside the picture nothing is touched; NaN is magenta.
    void draw(const FieldData& data, const Scale& scale, const Placement& placement);

private:
    CellPrograms programs_;
    CellDrawing cells_;
    gl::BufferTexture values_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
