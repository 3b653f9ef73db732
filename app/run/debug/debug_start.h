// Where a debugger starts: a step of a lab, and everything done before it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/document/experiment/journal.h"
#include "app/document/look/look.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/frame/frame.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::simt {
class SteppedDevice;
}

namespace lanescope::app {

struct DebugStart {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
    labs::Values values;
    std::uint64_t seed = 1;
    std::string image{};
    std::int64_t launches_before = 0; // calls of Experiment::step() before the stepped one
    SteppedText text = SteppedText::as_written;
    bool checks = true; // races, uninitialised reads and divergent barriers are faults
    // Events applied to the experiment before that step, starting with the variant `first`.
    // `values` are the values at the start; `variant` is the variant at that step.
    const labs::Variant* first = nullptr; // null: `variant`
    std::vector<Event> events{};
    // Time limit of the preceding steps; if they exceed it, the first step is used instead. 0:
    // none.
    double max_replay_s = 0;
    double time_limit_s = 20; // limit of one launch
    // Called with the machine before it runs anything, so that another thread can cancel it, and
    // with null once everything has run.
    std::function<void(simt::SteppedDevice*)> runs_on{};
    std::shared_ptr<const labs::Lab> held{}; // keeps `lab` alive, if needed
};

// Starts at the step that made the frame's picture, or at step 1 if that takes too long to reach.
DebugStart debug_start(const SideFrame& side, const StepChoice& step);

} // namespace lanescope::app
