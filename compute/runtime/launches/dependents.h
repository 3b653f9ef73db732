// Dependent launches (cudaLaunchAttributeProgrammaticStreamSerialization): the kernel may start
// before the one ahead of it in its stream has ended, and sees that one's memory only after
// cudaGridDependencySynchronize().
#pragma once

#include <optional>

#include "compute/runtime/machine.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::runtime {

// Reports an access of a dependent launch that is not ordered with the launch ahead of it, although
// the stream's order makes it look so. `use` is all the launch's accesses of that kind to `memory`.
std::optional<Finding> early_access(const Memory& memory, const MemoryUse& use,
                                    const LaunchOrder& order, const simt::Program& program,
                                    const LaunchRecord& record);

} // namespace lanescope::runtime
