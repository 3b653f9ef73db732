// An RGBA image as a picture: texels as squares or smoothly between them.
#pragma once

#include "render/gl/objects.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct ImageData {
    GLuint texture = 0; // RGBA8 or R8, first row at the bottom
    int width = 0;
    int height = 0;
    bool one_channel = false; // R8: shown as grey
    bool grey = false;        // colours as their luminance, for what lies under a map
};

class ImageView {
public:
    ImageView();
    // Compiles one program that it may need; false when all are.
    bool prepare() { return programs_.prepare(); }
    // When made smaller, pixels average the texels that they cover, whatever `smooth` is.
    void draw(const ImageData& data, const Placement& placement, bool smooth = false);

private:
    CellPrograms programs_;
    gl::VertexArray array_;
    gl::Sampler nearest_;
    gl::Sampler linear_;
};

} // namespace lanescope::render
