// Operations of one lane whose results C++ leaves undefined although PTX defines them: signed
// overflow, wide shifts, conversions out of range, indices past an array in local memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/doubt/runs/version_run.h"

namespace lanescope::app {

struct LaneFact {
    std::string kind; // "signed_overflow", "wide_shift", "zero_division", "conversion_range",
                      // "local_index"
    std::string sentence;
    int line = 0;     // in the source; 0: unknown
    int ptx_line = 0; // in the PTX
    std::uint64_t position = 0;
    std::string instruction{}; // its PTX
};

// A lane of a run, up to and including a position.
struct LaneTime {
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
    std::uint64_t position = 0;
};

// The position at which a replay of the lane's block, which starts at `begin`, may stop.
std::uint64_t end_of(const simt::Timeline& timeline, std::uint64_t begin, const LaneTime& time);

// The facts about the lane in order of execution, each source line and kind once. An overflow
// counts only where the result is used as a signed number: the PTX of signed and unsigned addition
// is the same.
std::vector<LaneFact> lane_facts(VersionRun& run, const LaneTime& time);

} // namespace lanescope::app
