// Warps that wait for others in a loop that changes nothing: all rounds but a few are counted, not
// run.
#pragma once

#include <cstdint>

namespace lanescope::simt {

struct Executor;

// The running path stands where a jump has led, and its warp's turn ends at the first jump behind
// `end` of its instructions. Goes round the loop once; if nothing has changed by then and nobody
// else runs, the turn is over but for the last round. Results, counts and reports are the same.
void skip_spin_iterations(Executor& executor, std::uint64_t end);

} // namespace lanescope::simt
