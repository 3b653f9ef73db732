// The heatmaps there are over the picture, by the names that keys, sessions and the command line
// use.
#pragma once

#include <string>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::app {

// "off", then every metric's name.
std::vector<std::string> map_names();

// Whether it is of accesses to memory, of which it may cover one kind alone: Look::map_of.
bool map_has_scope(const std::string& map);
bool map_is_of_shared_memory(const std::string& map);
bool map_is_of_texels(const std::string& map); // of textures and surfaces
// Those that it may cover, "all" first.
std::vector<std::string> scope_names();
trace::Scope scope_named(const std::string& name);

} // namespace lanescope::app
