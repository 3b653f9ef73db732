// cp.async: interface for other operations.
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Performs all outstanding copies of these lanes of the running warp.
void finish_copies(Executor& executor, std::uint32_t mask);

} // namespace lanescope::simt
