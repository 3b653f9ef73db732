// The image's program and its sampling.
#include "render/views/image.h"

#include "render/views/paint/cells.h"

namespace lanescope::render {

ImageView::ImageView() : programs_("shaders/image.frag"), nearest_(GL_NEAREST), linear_(GL_LINEAR)
{
}

void ImageView::draw(const ImageData& data, const Placement& placement, bool smooth)
{
    gl::Program& program = programs_.choose(data.width, data.height, placement);
    glBindTextureUnit(0, data.texture);
    (smooth ? linear_ : nearest_).bind(0);
    program.set("image", 0);
    program.set("one_channel", data.one_channel ? 1 : 0);
    program.set("grey", data.grey ? 1 : 0);
    draw_cells(program, array_, data.width, data.height, placement);
    glBindSampler(0, 0);
}

} // namespace lanescope::render
