// Decides what becomes of a block in which no path can progress.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Lets lanes continue that are held at a reconvergence point, since they may end or arrive where
// others wait for them. Without such lanes, throws the fault that explains who waits for whom.
void resume_stuck_block(Executor& executor);

} // namespace lanescope::simt
