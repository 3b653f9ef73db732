// Instructions that the lanes of a warp execute together: the lanes required, and how they wait for
// each other.
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// True for bar.warp.sync, at which lanes may meet from different instructions.
bool is_warp_sync(const Instruction& instruction);

// For a path that waits at a `*.sync` instruction: the lanes in its member masks, and those of them
// that have not exited.
std::uint32_t lanes_named(const Executor& executor, const Instruction& instruction,
                          std::uint32_t mask);
std::uint32_t lanes_needed(const Executor& executor, const Instruction& instruction,
                           std::uint32_t mask);

// Returns true if the running path can't execute the instruction yet: it was split from lanes that
// don't take part, or it must wait for other lanes.
bool must_wait(Executor& executor, const Instruction& instruction, std::uint32_t mask);

} // namespace lanescope::simt
