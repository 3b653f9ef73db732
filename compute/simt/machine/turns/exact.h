// Runs an exact number of instructions, and defines the lengths of turns. Stepping through a launch
// needs both to run in the same order as the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Maximum instructions per turn when blocks run in order.
constexpr std::uint64_t block_slice = std::uint64_t{1} << 21;
// Turns of cooperative blocks are short, because blocks poll for each other.
constexpr std::uint64_t cooperative_slice = std::uint64_t{1} << 11;
constexpr std::size_t max_resident = 1024;
// So are those of all blocks once many have used a turn without finishing: they wait for others.
constexpr std::size_t many_waiting = 16;
constexpr std::uint64_t waiting_slice = std::uint64_t{1} << 12;

// Turn of a block while `waiting` others are between their turns.
std::uint64_t turn_of_block(const LaunchState& launch, std::size_t waiting);
// Blocks that run at once: as many as fit on the simulated GPU, if their threads have few
// registers.
std::size_t blocks_at_once(const LaunchState& launch);

// Like run_path(), but also stops after `limit` instructions (at least 1), before any further
// work, and then returns true. Requires that no observer tracks values and that the path's
// instruction is not counted yet.
bool run_path_exactly(Executor& executor, std::uint64_t slice, std::uint64_t limit);

} // namespace lanescope::simt
