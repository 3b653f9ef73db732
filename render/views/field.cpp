// Field programs and the uniforms of their scale.
#include "render/views/field.h"

namespace lanescope::render {

FieldView::FieldView() : programs_("shaders/field.frag"), values_(GL_R32F) {}

void FieldView::draw(const FieldData& data, const Scale& scale, const Placement& placement)
{
    gl::LazyProgram& chosen = programs_.choose(data.width, data.height, placement);
    gl::Program& program = chosen.get();
    values_.attach(data.buffer);
    values_.bind(0);
    program.set("values", 0);
    maps_.set(program, scale, 1);
    cells_.draw(chosen, data.width, data.height, placement);
}

} // namespace lanescope::render
