// What a variant pays for, line by line of its source, from its counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/frame.h"

namespace lanescope::app {

struct LineCost {
    int number = 0; // 0: PTX that no source line stands for
    std::uint64_t moved = 0;
    std::uint64_t ideal = 0; // what the same lanes would have needed

    std::uint64_t excess() const { return moved > ideal ? moved - ideal : 0; }
};

struct LineCosts {
    std::vector<LineCost> global; // sectors, the most first
    std::vector<LineCost> shared; // wavefronts
};

LineCosts line_costs(const SideFrame& side);

// What the variant pays most for in a step, a sentence each with its line, the dearest first:
// excess sectors and wavefronts, branches that split a warp and, where nothing is wasted, the line
// that moves the most. Empty before anything was counted.
std::vector<std::string> reasons_of(const SideFrame& side);

} // namespace lanescope::app
