// The heatmaps of the picture, by the names used for keys, sessions and the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compute/caches/replay.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// "off", then the name of every metric.
std::vector<std::string> map_names();

// True for maps of memory accesses, which can be limited to one kind: Look::map_of.
bool map_has_scope(const std::string& map);
bool map_is_of_shared_memory(const std::string& map);
bool map_is_of_texels(const std::string& map); // true for counts of textures and surfaces
// Contents of the caches before the launch whose service the map shows; empty for other maps.
std::optional<caches::Before> caches_of_map(const std::string& map);
// Scopes of a map, "all" first.
std::vector<std::string> scope_names();
trace::Scope scope_named(const std::string& name);

} // namespace lanescope::app
