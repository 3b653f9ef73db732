// A scalar field as a picture: each value through a colour map, sharp cells when zoomed in,
// averaged when made smaller.
#pragma once

#include <optional>

#include "render/gl/objects.h"
#include "render/views/cells.h"
#include "render/views/placement.h"
#include "render/views/scale.h"

namespace lanescope::render {

struct FieldData {
    GLuint buffer = 0; // width × height floats, row 0 at the bottom
    int width = 0;
    int height = 0;
};

class FieldView {
public:
    FieldView();
    // Draws into the current framebuffer. Outside the picture nothing is touched; NaN is magenta.
    void draw(const FieldData& data, const Scale& scale, const Placement& placement);
    // The distance between this field and another of its size, each cell from each: for two
    // variants.
    void draw_difference(const FieldData& data, GLuint other, const Scale& scale,
                         const Placement& placement);

private:
    void draw(CellPrograms& programs, const FieldData& data, const Scale& scale,
              const Placement& placement);

    CellPrograms programs_;
    std::optional<CellPrograms> differences_;
    gl::VertexArray array_;
    gl::BufferTexture values_;
    gl::BufferTexture others_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
