// An RGBA image as a picture: texels as squares; made smaller, the mean of those that a pixel
// covers.
#pragma once

#include "render/gl/objects.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct ImageData {
    // RGBA8 or R8, first row at the bottom; of two dimensions, or a buffer's, row by row.
    GLuint texture = 0;
    int width = 0;
    int height = 0;
    bool one_channel = false; // R8: shown as grey
    bool grey = false;        // colours as their luminance, for what lies under a map
};

class ImageView {
public:
    ImageView();
    // Compiles one program that it may need; false when all are.
    bool prepare() { return in_a_buffer_.prepare() || in_a_texture_.prepare(); }
    void draw(const ImageData& data, const Placement& placement);

private:
    CellPrograms in_a_texture_;
    CellPrograms in_a_buffer_;
    CellDrawing cells_;
};

} // namespace lanescope::render
