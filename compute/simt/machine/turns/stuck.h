// Handles a block in which no path can progress.
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Lets lanes continue that are held at a reconvergence point, since they may end, or
// arrive where other lanes wait for them. Without such lanes, throws the fault that
// explains which lanes wait for which.
void resume_stuck_block(Executor& executor);

} // namespace lanescope::simt
