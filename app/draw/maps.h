// Which heatmaps there are over the picture, by the names that keys, sessions and the command line
// use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/document/look.h"
#include "app/draw/scene.h"
#include "app/run/frame.h"

namespace lanescope::app {

// "off", then every metric's name.
std::vector<std::string> map_names();

// "no heatmap", "sectors / ideal": a map's name in words.
std::string map_title(const std::string& name);

// The map that the look asks for, as far as it has been counted. The scale is fixed, so that
// variants can be compared by eye, unless the look wants it from the values seen; for instructions
// it always is, where they are counted.
std::optional<MapOverlay> map_overlay(const SideFrame& side, const Look& look);

} // namespace lanescope::app
