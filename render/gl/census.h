// How many OpenGL objects of each kind are alive, to find those that nobody deletes.
#pragma once

#include <map>
#include <string>

namespace lanescope::render::gl {

// By kind: "buffers", "textures", … of the current context. Names beyond the first few thousand are
// not seen.
std::map<std::string, int> census();

} // namespace lanescope::render::gl
