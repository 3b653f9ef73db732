// The sentence about a race: the two threads, their lines, the memory, and the barrier between them
// that is missing.
#pragma once

#include <cstdint>

#include "compute/simt/checks/precise/touch.h"

namespace lanescope::simt::precise {

// Index in the grid of a block, by its number.
Dim3 index_of(const LaunchState& launch, std::uint64_t block);

// Throws the fault of two unordered accesses to the bytes `common` of the cell at `base`.
[[noreturn]] void report_race(Executor& executor, const AccessEvent& event, const Touch& mine,
                              const Touch& theirs, std::uint64_t common, std::uint64_t base);

} // namespace lanescope::simt::precise
