// Windows itself has OpenGL 1.1 only, as in a remote desktop: the rest comes with a driver.
#include "render/context/advice.h"

namespace lanescope::render {

std::string no_display(const std::string& reason)
{
    return "Windows lets no window be opened: " + reason + ".";
}

std::string opengl_advice()
{
    return "Install the graphics driver of the GPU's maker, or Microsoft's OpenCL and OpenGL "
           "Compatibility Pack; the commands run, trace and emulate need no OpenGL.";
}

} // namespace lanescope::render
