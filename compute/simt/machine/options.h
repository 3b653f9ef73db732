// What a caller can ask of the lockstep machine: cores, checks and how long a kernel may run.
#pragma once

#include <cstdint>
#include <optional>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// Like compute-sanitizer's tools. Out of bounds and misaligned accesses are always faults.
struct Checks {
    bool uninitialised = false; // reads of shared or global memory that nothing has written
    bool races = false; // shared memory touched by two warps between barriers, one of them writing
    bool divergent_barriers = false; // an aligned barrier reached by part of a warp

    static constexpr Checks all() { return {true, true, true}; }
    constexpr bool any() const { return uninitialised || races || divergent_barriers; }
    friend bool operator==(const Checks&, const Checks&) = default;
};

struct Options {
    int threads = 0; // 0: all cores
    Checks checks{};
    // Warp instructions of one block, or of all blocks that wait for each other, before they count
    // as endless.
    std::uint64_t step_budget = std::uint64_t{1} << 28;
    std::optional<Isa> isa{}; // unset: the best one of this processor
};

} // namespace lanescope::simt
