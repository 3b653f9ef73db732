// Moves are searches over a launch's timeline: the target is a predicate evaluated before every
// instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/document/experiment/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "compute/device/device.h"

namespace lanescope::simt {
class Inspector;
class Timeline;
} // namespace lanescope::simt

namespace lanescope::app {

// A launch being stepped, with the facts that moves need.
struct SteppedLaunch {
    simt::Timeline& timeline;
    const simt::Inspector& inspector;
    const std::vector<int>& code_lines; // source lines with code, ascending
    const std::vector<Breakpoint>& breakpoints;
    int shown_warp = 0;
    // For a launch that does not end: where searches stop, and the fault that ended its first run.
    std::uint64_t end = ~std::uint64_t{0};
    std::string endless{};
};

// Why a move stopped, and a sentence for the user.
struct MoveResult {
    Stop stop = Stop::moved;
    std::string sentence{};
};

// Any move except Kind::launch. Leaves the position unchanged if the target is not found. Throws
// Error for an invalid expression, device::Cancelled if cancelled.
MoveResult go(const SteppedLaunch& launch, const StepMove& move);

// A named array in global memory.
struct NamedArray {
    std::string name;
    device::Address begins = 0;
    std::size_t bytes = 0;
};

// The next access of the current line, which may be some instructions ahead; empty if the line
// accesses no memory. Leaves the position unchanged.
std::optional<LineAccess> look_ahead(const SteppedLaunch& launch,
                                     const std::vector<NamedArray>& arrays);

} // namespace lanescope::app
