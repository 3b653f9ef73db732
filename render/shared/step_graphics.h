// A context of OpenGL's own for the steps of a lab, which share memory with it call by call as a
// program does: register, map, unmap, draw.
#pragma once

#include "compute/device/graphics.h"

namespace lanescope::render {

// Without CUDA, or if CUDA cannot map the memory of an offscreen context, the reason as `doctor`
// states it.
device::GraphicsChoice step_graphics(device::Device& device);

} // namespace lanescope::render
