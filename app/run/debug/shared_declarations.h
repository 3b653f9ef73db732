// Shared arrays declared in a kernel's source, which NVRTC's debug information omits.
#pragma once

#include <string_view>
#include <vector>

#include "compute/ptx/debug/dwarf.h"

namespace lanescope::app {

// Arrays of numbers with constant extents; others are skipped. Locations are not set.
std::vector<ptx::SourceVariable> shared_declarations(std::string_view source);

} // namespace lanescope::app
