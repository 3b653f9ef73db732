// For builds in which CUDA and OpenGL share no memory, those for browsers and Windows: steps only
// count their calls.
#include "render/shared/step_graphics.h"

namespace lanescope::render {

device::GraphicsChoice step_graphics(device::Device& /*device*/)
{
    return {nullptr, "This build shares no memory between CUDA and OpenGL: calls are counted."};
}

} // namespace lanescope::render
