// OpenGL keeps no list: names are asked for one by one.
#include "render/gl/census.h"

#include <glad/gl.h>

namespace lanescope::render::gl {

std::map<std::string, int> census()
{
    constexpr GLuint max_names = 4096;
    std::map<std::string, int> alive;
    for (GLuint name = 1; name < max_names; ++name) {
        alive["buffers"] += glIsBuffer(name);
        alive["textures"] += glIsTexture(name);
        alive["framebuffers"] += glIsFramebuffer(name);
        alive["renderbuffers"] += glIsRenderbuffer(name);
        alive["vertex arrays"] += glIsVertexArray(name);
        alive["programs"] += glIsProgram(name);
    }
    return alive;
}

} // namespace lanescope::render::gl
