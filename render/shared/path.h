// The ways to share memory between a device and OpenGL.
#pragma once

namespace lanescope::render {

enum class SharingPath { cuda_mapped, staged, simt_mapped };

} // namespace lanescope::render
