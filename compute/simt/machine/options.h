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
    // Warp instructions that one block may run, or that all blocks may run without one of them
    // ending; then the launch is stopped and says so. A block that takes as many may still end.
    std::uint64_t step_budget = std::uint64_t{1} << 36;
    // As long may a launch take, in seconds; 0: as long as it likes.
    double time_limit_s = 0;
    // Faults that do not end a traced launch: the block that has one ends there, the others go on,
    // and all faults are in the trace. The launch then runs in order on one core, and throws
    // nothing. One more than that ends it, as does a stop by budget or time.
    int keep_going = 0;
    std::optional<Isa> isa{}; // unset: the best one of this processor
};

} // namespace lanescope::simt
