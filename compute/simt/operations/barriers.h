// Barriers of a block: all forms of bar and barrier except barrier.cluster (cluster_barrier.h).
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Call after lanes have exited: completes barriers that were waiting only for them.
void complete_barriers(Executor& executor);
// Splits a path whose guard excludes some lanes: these continue after the instruction and wait
// there, and the path executes it with the other lanes only. Returns true if it split.
bool split_guarded(Executor& executor, const Instruction& instruction, std::uint32_t mask);

} // namespace lanescope::simt
