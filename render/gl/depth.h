// Clears the depth of one viewport.
#pragma once

#include <glad/gl.h>

namespace lanescope::render::gl {

// Under a caller's scissor (a divider between two sides) clears only that part.
inline void clear_depth(int x, int y, int width, int height)
{
    const bool cut = glIsEnabled(GL_SCISSOR_TEST) == GL_TRUE;
    if (!cut) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(x, y, width, height);
    }
    glClear(GL_DEPTH_BUFFER_BIT);
    if (!cut) glDisable(GL_SCISSOR_TEST);
}

} // namespace lanescope::render::gl
