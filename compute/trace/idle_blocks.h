// A grid that is many times larger than its work, as a misplaced bracket makes it:
// (n + threads - 1 / threads) blocks are n blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compute/trace/trace.h"

namespace lanescope::trace {

struct IdleBlocks {
    std::uint64_t idle = 0;   // at least this many blocks access no memory
    std::uint64_t blocks = 0; // of the grid
    std::string sentence{};
};

// Set if at least 7/8 of the blocks of a large grid access no memory, while others do. Each block
// that does executes an access, so blocks without one are at least the difference of the two
// numbers, whatever the kernel does. Not for launches from the device, stopped launches, and
// kernels that access nothing at all.
std::optional<IdleBlocks> idle_blocks(const Trace& trace);

} // namespace lanescope::trace
