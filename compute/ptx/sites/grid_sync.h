// Detects kernels whose blocks wait for each other as in cooperative_groups' grid.sync(): these
// must be launched cooperatively, with all blocks resident.
#pragma once

#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// True if the kernel, or a function it can reach, reads the special registers that hold the grid
// barrier of a cooperative launch. Throws like reachable_functions().
bool waits_for_grid(const Module& module, std::string_view kernel);

} // namespace lanescope::ptx
