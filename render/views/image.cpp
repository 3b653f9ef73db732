// Fetches texels one by one, from a texture or a buffer.
#include "render/views/image.h"

#include "render/views/paint/cells.h"

namespace lanescope::render {

ImageView::ImageView()
    : in_a_texture_("shaders/image.frag"), in_a_buffer_("shaders/image.frag", "IN_A_BUFFER")
{
}

void ImageView::draw(const ImageData& data, const Placement& placement)
{
    GLint buffer = 0; // 0: two-dimensional
    glGetTextureLevelParameteriv(data.texture, 0, GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &buffer);
    CellPrograms& programs = buffer != 0 ? in_a_buffer_ : in_a_texture_;
    gl::LazyProgram& chosen = programs.choose(data.width, data.height, placement);
    gl::Program& program = chosen.get();
    glBindTextureUnit(0, data.texture);
    program.set("image", 0);
    program.set("one_channel", data.one_channel ? 1 : 0);
    program.set("grey", data.grey ? 1 : 0);
    cells_.draw(chosen, data.width, data.height, placement);
}

} // namespace lanescope::render
