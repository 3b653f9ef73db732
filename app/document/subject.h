// What fills the middle of the screen: the experiment's picture with its heatmap, one of its arrays
// sector by sector, one request of one warp, or who told whom in a block. Its names, and what must
// be counted for it.
#pragma once

#include <string>
#include <vector>

#include "app/document/look.h"
#include "app/run/maps/counting.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// "picture", "memory", "request", "tree": as sessions and the command line have them.
std::string name(Subject subject);
std::vector<std::string> subject_names();
Subject subject_named(const std::string& name); // one of subject_names()

// What the look needs counted.
Counting counting_for(const Look& look);

// "line 12: shared load, 4 bytes a lane", for lists of sites.
std::string site_title(const trace::Site& site);

// "block (2, 0, 0), warp 3 of 8": where a warp is in the launch.
std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block);

} // namespace lanescope::app
