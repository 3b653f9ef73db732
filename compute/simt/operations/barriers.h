// Barriers of a block: bar and barrier in all forms but cluster.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// After lanes have left the kernel: barriers that waited only for them are complete.
void complete_barriers(Executor& executor);
// Paths that execute an instruction with a guard that leaves some lanes out: the others go on and
// wait behind it, and the path comes back with only its own lanes. True when it had to split.
bool split_guarded(Executor& executor, const Instruction& instruction, std::uint32_t mask);

} // namespace lanescope::simt
