// Parts of a global access's probe that fill memory maps: touches of a watched buffer's sectors,
// and the warp that last stored each element of another buffer.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/probes/probe_text.h"

namespace lanescope::ptx {

// Counts touches of sectors. Needs &address and &fresh, the predicate of lanes that
// are the first in their sector.
std::string touch_text(const ProbeMaps& maps);

// Stores the warp's index for each element. Needs &address in every storing lane.
std::string footprint_text(int width_bytes, const ProbeMaps& maps);

// Goes before a store of `width_bytes` to a two-dimensional surface. The handle and coordinates
// (the first in bytes) are registers or numbers in PTX syntax.
std::string surface_probe(std::string_view handle, std::string_view x, std::string_view y,
                          int width_bytes, const ProbeMaps& maps);

} // namespace lanescope::ptx
