// The field's program and the uniforms of its scale.
#include "render/views/field.h"

namespace lanescope::render {

FieldView::FieldView() : programs_("shaders/field.frag"), values_(GL_R32F), others_(GL_R32F) {}

void FieldView::draw(const FieldData& data, const Scale& scale, const Placement& placement)
{
    draw(programs_, data, scale, placement);
}

void FieldView::draw_difference(const FieldData& data, GLuint other, const Scale& scale,
                                const Placement& placement)
{
    if (!differences_) differences_.emplace("shaders/field.frag", "DIFFERENCE");
    others_.attach(other);
    others_.bind(2);
    differences_->choose(data.width, data.height, placement).set("others", 2);
    draw(*differences_, data, scale, placement);
}

void FieldView::draw(CellPrograms& programs, const FieldData& data, const Scale& scale,
                     const Placement& placement)
{
    gl::Program& program = programs.choose(data.width, data.height, placement);
    values_.attach(data.buffer);
    values_.bind(0);
    program.set("values", 0);
    maps_.set(program, scale, 1);
    draw_cells(program, array_, data.width, data.height, placement);
}

} // namespace lanescope::render
