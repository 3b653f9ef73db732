// Kernels that may start before the kernel ahead of them has ended (programmatic dependent launch):
// which of their instructions run before griddepcontrol.wait.
#pragma once

#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// One flag per instruction of the kernel: true if it may run before the kernel waits for the one
// ahead, and never runs after that. All are true if the kernel never waits. An instruction that
// only lanes without a wait of their own execute is not early: others may have waited for them.
std::vector<bool> early_instructions(const Module& module, const Function& kernel);

} // namespace lanescope::ptx
