// Names for frame captures (RenderDoc, apitrace): command groups and objects.
#pragma once

#include <glad/gl.h>

#include <string>

namespace lanescope::render::gl {

// Groups the commands issued in a scope.
class DebugGroup {
public:
    explicit DebugGroup(const char* name)
    {
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name);
    }
    ~DebugGroup() { glPopDebugGroup(); }
    DebugGroup(const DebugGroup&) = delete;
    DebugGroup& operator=(const DebugGroup&) = delete;
};

// `kind` is GL_BUFFER, GL_TEXTURE, GL_FRAMEBUFFER, …
inline void label(GLenum kind, GLuint id, const std::string& name)
{
    glObjectLabel(kind, id, static_cast<GLsizei>(name.size()), name.c_str());
}

} // namespace lanescope::render::gl
