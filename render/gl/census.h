// Counts live OpenGL objects by kind, to find leaks.
#pragma once

#include <map>
#include <string>

namespace lanescope::render::gl {

// Counts in the current context: "buffers", "textures", … Names past the first few thousand are not
// probed.
std::map<std::string, int> census();

} // namespace lanescope::render::gl
