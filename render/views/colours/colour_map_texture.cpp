// Fills the texture, one row of 256 colours per ColourMap.
#include "render/views/colours/colour_map_texture.h"

#include <vector>

namespace lanescope::render {

ColourMapTexture::ColourMapTexture()
    : texture_(GL_RGBA8, 256, static_cast<int>(all_colour_maps.size())), sampler_(GL_NEAREST)
{
    std::vector<Colour> texels;
    for (const ColourMap map : all_colour_maps) {
        const auto row = colours(map);
        texels.insert(texels.end(), row.begin(), row.end());
    }
    texture_.upload(GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
}

void ColourMapTexture::set(gl::Program& program, const Scale& scale, GLuint unit) const
{
    glBindTextureUnit(unit, texture_.id());
    sampler_.bind(unit);
    program.set("maps", static_cast<int>(unit));
    program.set("map", static_cast<int>(scale.map));
    program.set("low", scale.low);
    program.set("per_range", scale.high > scale.low ? 1.0f / (scale.high - scale.low) : 0.0f);
}

} // namespace lanescope::render
