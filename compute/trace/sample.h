// A request to check only some blocks of each launch, and how many were checked.
#pragma once

#include <cstdint>
#include <string>

namespace lanescope::trace {

struct Sample {
    std::uint64_t seed = 1; // in: chooses the blocks inside the grid

    // Out: sums over the launches since forget().
    std::uint64_t checked = 0; // blocks that ran under all requested checks
    std::uint64_t blocks = 0;
    // Why all blocks of the last such launch were checked: "the launch has fewer than 256".
    std::string reason_for_all{};
    bool stopped = false; // a launch ended before all its blocks had run

    void forget() { *this = {.seed = seed}; }
};

} // namespace lanescope::trace
