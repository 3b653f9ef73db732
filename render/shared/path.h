// The ways in which memory is shared between a device and OpenGL.
#pragma once

namespace lanescope::render {

enum class SharingPath { cuda_mapped, staged, simt_mapped };

} // namespace lanescope::render
