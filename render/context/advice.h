// Parts of messages about drawing that differ between systems.
#pragma once

#include <string>

namespace lanescope::render {

// Why no window can be opened, as a sentence. `reason` is GLFW's.
std::string no_display(const std::string& reason);
// Advice for a display without OpenGL 4.5, as a sentence.
std::string opengl_advice();

} // namespace lanescope::render
