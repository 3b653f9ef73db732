// Names of the subjects in the middle of the screen, and descriptions of sites and warps.
#pragma once

#include <string>
#include <vector>

#include "app/document/look/counting.h"
#include "app/document/look/look.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// "picture", "memory", "request", …, as used in sessions, lab records and on the command line.
std::string name(Subject subject);
std::vector<std::string> subject_names();
Subject subject_named(const std::string& name); // one of subject_names()

// "line 12: shared load, 4 bytes per lane", for lists of sites.
std::string site_title(const trace::Site& site);

// "block (2, 0, 0), warp 3 of 8": a warp's position in the launch.
std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block);

} // namespace lanescope::app
