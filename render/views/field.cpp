#include "render/views/field.h"

#include "render/views/cells.h"

namespace lanescope::render {

FieldView::FieldView() : program_("shaders/rect.vert", "shaders/field.frag"), values_(GL_R32F) {}

void FieldView::draw(const FieldData& data, const Scale& scale, const Placement& placement)
{
    values_.attach(data.buffer);
    values_.bind(0);
    program_.set("values", 0);
    maps_.set(program_, scale, 1);
    draw_cells(program_, array_, data.width, data.height, placement);
}

} // namespace lanescope::render
