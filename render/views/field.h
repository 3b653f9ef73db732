// A scalar field as a picture: values through a colour map, with sharp cells when zoomed in and
// averages when minified.
#pragma once

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct FieldData {
    GLuint buffer = 0; // width × height floats, bottom row first
    int width = 0;
    int height = 0;
};

class FieldView {
public:
    FieldView();
    // Compiles one of the programs that may be needed; returns false if all are compiled.
    bool prepare() { return programs_.prepare(); }
    // Samples per pixel side in the last drawing.
    int samples() const { return programs_.samples(); }
    // Draws into the current framebuffer. Pixels outside the picture are untouched; NaN is magenta.
    void draw(const FieldData& data, const Scale& scale, const Placement& placement);

private:
    CellPrograms programs_;
    CellDrawing cells_;
    gl::BufferTexture values_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
