// An RGBA image as a picture: texels as squares or, when minified, the mean of the texels in a
// pixel.
#pragma once

#include "render/gl/objects.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct ImageData {
    // RGBA8 or R8, bottom row first; a two-dimensional or a buffer texture, row by row.
    GLuint texture = 0;
    int width = 0;
    int height = 0;
    bool one_channel = false; // R8: shown as grey
    bool grey = false;        // shows luminance, for pictures under a map
};

class ImageView {
public:
    ImageView();
    // Compiles one of the programs that may be needed; returns false if all are compiled.
    bool prepare() { return buffer_programs_.prepare() || texture_programs_.prepare(); }
    void draw(const ImageData& data, const Placement& placement);

private:
    CellPrograms texture_programs_;
    CellPrograms buffer_programs_;
    CellDrawing cells_;
};

} // namespace lanescope::render
