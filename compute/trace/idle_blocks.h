// Detects grids that are many times larger than their work, for example after a misplaced bracket:
// (n + threads - 1 / threads) blocks are n + threads blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compute/trace/trace.h"

namespace lanescope::trace {

struct IdleBlocks {
    std::uint64_t idle = 0;   // at least this many blocks access no memory
    std::uint64_t blocks = 0; // all blocks of the grid
    std::string sentence{};
};

// Returns a value if at least 7/8 of the blocks of a large grid access no memory, while others do.
// A block with accesses executes at least one, so the number of blocks minus the number of executed
// accesses is a lower bound on the idle blocks. Returns nullopt for launches from the device,
// stopped launches, and kernels that access no memory at all.
std::optional<IdleBlocks> idle_blocks(const Trace& trace);

} // namespace lanescope::trace
