// Explains a variant's cost by source line, from its counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/frame/frame.h"

namespace lanescope::app {

struct LineCost {
    int number = 0; // 0: PTX without a source line
    std::uint64_t moved = 0;
    std::uint64_t ideal = 0; // minimum for the same lanes

    std::uint64_t excess() const { return moved > ideal ? moved - ideal : 0; }
};

struct LineCosts {
    std::vector<LineCost> global; // sectors, largest first
    std::vector<LineCost> shared; // wavefronts
};

LineCosts line_costs(const SideFrame& side);

// The largest costs of a step, one sentence each with its line, most expensive first: excess
// sectors and wavefronts, divergent branches and, if nothing is wasted, the line that moves the
// most. Empty before anything was counted.
std::vector<std::string> reasons_of(const SideFrame& side);

} // namespace lanescope::app
