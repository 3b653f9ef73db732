// The parts of a global access's probe that fill maps of memory: touches of a watched buffer's
// sectors, and which warp stored each element of another buffer.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/probes/probe_text.h"

namespace lanescope::ptx {

// Needs &address and &fresh, the predicate of lanes that are first in their sector.
std::string touch_text(const ProbeMaps& maps);

// Needs &address, in every lane that stores.
std::string footprint_text(int width_bytes, const ProbeMaps& maps);

// Before a store of `width_bytes` to a two-dimensional surface: handle and coordinates (the first
// in bytes) are registers or numbers as PTX writes them.
std::string surface_probe(std::string_view handle, std::string_view x, std::string_view y,
                          int width_bytes, const ProbeMaps& maps);

} // namespace lanescope::ptx
