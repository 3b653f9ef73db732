// Cost unit of a memory space: passes (wavefronts) or sectors.
#pragma once

#include "compute/trace/trace.h"

namespace lanescope::trace {

// Shared memory, where the busiest bank decides, and constant memory, which reads one word after
// another. Other spaces cost sectors.
constexpr bool costs_passes(Space space)
{
    return space == Space::shared || space == Space::constant;
}

} // namespace lanescope::trace
