// Instructions that lanes of a warp execute together: who must be there, and how they wait for each
// other.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// True for bar.warp.sync: lanes may meet at different ones.
bool is_warp_sync(const Instruction& instruction);

// For a path that waits at a `*.sync` instruction: the lanes that its masks name and that have not
// left the kernel.
std::uint32_t lanes_needed(const Executor& executor, const Instruction& instruction,
                           std::uint32_t mask);

// The running path must not execute the instruction yet: it was split from lanes that do not, or it
// waits for lanes that must come first.
bool must_wait(Executor& executor, const Instruction& instruction, std::uint32_t mask);

} // namespace lanescope::simt
