#include "render/views/image.h"

#include "render/views/cells.h"

namespace lanescope::render {

ImageView::ImageView() : program_("shaders/rect.vert", "shaders/image.frag"), linear_(GL_LINEAR) {}

void ImageView::draw(const ImageData& data, const Placement& placement, bool smooth)
{
    glBindTextureUnit(0, data.texture);
    linear_.bind(0);
    program_.set("image", 0);
    program_.set("grey", data.grey ? 1 : 0);
    program_.set("smoothly", smooth ? 1 : 0);
    draw_cells(program_, array_, data.width, data.height, placement);
    glBindSampler(0, 0);
}

} // namespace lanescope::render
