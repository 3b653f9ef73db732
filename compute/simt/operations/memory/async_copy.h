// cp.async: what others need of it.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Does all copies that these lanes of the running warp have begun.
void finish_copies(Executor& executor, std::uint32_t mask);

} // namespace lanescope::simt
