// Names for what a frame capture (RenderDoc, apitrace) shows: groups of commands, and objects.
#pragma once

#include <glad/gl.h>

#include <string>

namespace lanescope::render::gl {

// The commands until the end of the scope belong together.
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
