// Skips spin loops that change nothing: all but a few iterations are counted instead of run.
#pragma once

#include <cstdint>

namespace lanescope::simt {

struct Executor;

// Skips iterations of a spin loop. The running path is at the target of a jump, and its warp's
// turn ends at the first jump after instruction `end`. Runs one iteration; if it changed nothing
// and no other block runs, skips all further iterations of the turn but the last. Results,
// counts and reports are unchanged.
void skip_spin_iterations(Executor& executor, std::uint64_t end);

} // namespace lanescope::simt
