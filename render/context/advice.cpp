// For X11, Wayland and Mesa.
#include "render/context/advice.h"

#include <cstdlib>

namespace lanescope::render {

std::string no_display(const std::string& reason)
{
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
        return "There is no display to open a window on (DISPLAY is not set).";
    return "The display cannot be used: " + reason + ".";
}

std::string opengl_advice()
{
    return "Update the graphics driver; on a laptop with two GPUs try __NV_PRIME_RENDER_OFFLOAD=1 "
           "__GLX_VENDOR_LIBRARY_NAME=nvidia; LIBGL_ALWAYS_SOFTWARE=1 draws on the CPU.";
}

} // namespace lanescope::render
