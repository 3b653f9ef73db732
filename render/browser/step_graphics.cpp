// Steps of labs that share memory with OpenGL are only counted: CUDA and OpenGL share none here.
#include "render/shared/step_graphics.h"

namespace lanescope::render {

device::GraphicsChoice step_graphics(device::Device& /*device*/)
{
    return {nullptr,
            "In a browser, steps do not share memory with OpenGL: their calls are counted."};
}

} // namespace lanescope::render
