// What the mouse points at, in numbers: a warp on the picture, a sector of the memory.
#pragma once

#include <string>

#include "compute/dim3.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// Block and warp, then what the warp did, a line each.
std::string warp_words(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                       const Dim3& block);

// Where the sector lies in its memory, and who touched it.
std::string sector_words(const std::string& memory, int sector, std::uint32_t requests,
                         std::uint32_t warps);

} // namespace lanescope::app
