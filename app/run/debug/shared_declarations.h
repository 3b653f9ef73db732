// Shared arrays as a kernel's source declares them: NVRTC's debug text leaves them out.
#pragma once

#include <string_view>
#include <vector>

#include "compute/ptx/debug/dwarf.h"

namespace lanescope::app {

// Arrays of numbers with constant extents; others are left out. Without places.
std::vector<ptx::SourceVariable> shared_declarations(std::string_view source);

} // namespace lanescope::app
