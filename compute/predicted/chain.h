// The time that a thread block takes on its own: the instructions of its slowest warp one after
// another, each waiting for its operands.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "compute/predicted/costs.h"
#include "compute/predicted/flow.h"

namespace lanescope::predicted {

struct Chain {
    double cycles = 0;
    std::array<double, wait_count> waits{}; // the same cycles by cause
    std::map<int, double> lines{};          // cycles of waiting for the result of a PTX line

    double waits_for(Wait wait) const { return waits[static_cast<std::size_t>(wait)]; }
};

struct Shape {
    double blocks = 1; // of the grid
    int warps_per_block = 1;
};

Chain chain_of(const assembled::SassFunction& function, const std::vector<Block>& blocks,
               const Accesses& accesses, const Shape& shape);

} // namespace lanescope::predicted
