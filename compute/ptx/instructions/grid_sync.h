// Whether a kernel's blocks wait for each other as cooperative_groups' grid does: such kernels must
// be launched cooperatively, all blocks at once.
#pragma once

#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// True when the kernel, or a function that it can reach, reads the special registers in which a
// cooperative launch finds its barrier. Throws as reachable_functions does.
bool waits_for_grid(const Module& module, std::string_view kernel);

} // namespace lanescope::ptx
