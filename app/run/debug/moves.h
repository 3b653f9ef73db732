// Moves through a launch are searches over its timeline: what a move looks for is a question asked
// before every instruction on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/document/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "compute/device/device.h"

namespace lanescope::simt {
class Inspector;
class Timeline;
} // namespace lanescope::simt

namespace lanescope::app {

// A launch that is gone through, and what moves in it need to know.
struct SteppedLaunch {
    simt::Timeline& timeline;
    const simt::Inspector& inspector;
    const std::vector<int>& code_lines; // source lines that have code, ascending
    const std::vector<Breakpoint>& breakpoints;
    int shown_warp = 0;
};

// Why it stands where a move has led, and a sentence about it.
struct MoveResult {
    Stop stop = Stop::moved;
    std::string sentence{};
};

// Any move but Kind::launch. Stands where it stood when what is looked for is not met. Throws Error
// for an expression that makes no sense there, device::Cancelled where it was stopped on the way.
MoveResult go(const SteppedLaunch& launch, const StepMove& move);

// An array of global memory by its name.
struct NamedArray {
    std::string name;
    device::Address begins = 0;
    std::size_t bytes = 0;
};

// The access of the line that comes next, which may be some instructions ahead; nothing where the
// line makes none. Stands where it stood.
std::optional<LineAccess> look_ahead(const SteppedLaunch& launch,
                                     const std::vector<NamedArray>& arrays);

} // namespace lanescope::app
