// Fetches texels one by one, from a texture or a buffer.
#include "render/views/image.h"

#include "render/views/paint/cells.h"

namespace lanescope::render {

ImageView::ImageView()
    : texture_programs_("shaders/image.frag"), buffer_programs_("shaders/image.frag", "FROM_BUFFER")
{
}

void ImageView::draw(const ImageData& data, const Placement& placement)
{
    GLint buffer = 0; // 0: two-dimensional
    glGetTextureLevelParameteriv(data.texture, 0, GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &buffer);
    CellPrograms& programs = buffer != 0 ? buffer_programs_ : texture_programs_;
    gl::LazyProgram& chosen = programs.choose(data.width, data.height, placement);
    gl::Program& program = chosen.get();
    glBindTextureUnit(0, data.texture);
    program.set("image", 0);
    program.set("one_channel", data.one_channel ? 1 : 0);
    program.set("grey", data.grey ? 1 : 0);
    cells_.draw(chosen, data.width, data.height, placement);
}

} // namespace lanescope::render
