// Where a debugger begins: a lab's step, with all that was done before it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/document/journal.h"
#include "app/document/look.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/frame.h"
#include "compute/labs/lab.h"

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
    std::int64_t launches_before =
        0; // calls of Experiment::step() before the one that is gone through
    SteppedText text = SteppedText::as_written;
    bool checks = true; // races, uninitialised reads and divergent barriers are faults
    // What was done to the experiment before that step, from `first` on; then `values` are those at
    // the start, and `variant` is the one of now.
    const labs::Variant* first = nullptr; // null: `variant`
    std::vector<Event> events{};
    // The steps before may take so long; else the first step is gone through. 0: as long as they
    // take.
    double max_replay_s = 0;
    // Called with the machine before anything runs, so that others can cancel it, and with null
    // once all has run.
    std::function<void(simt::SteppedDevice*)> runs_on{};
    std::shared_ptr<const labs::Lab> held{}; // what keeps `lab`, where something must
};

// The step that made what a frame shows, or the first.
DebugStart debug_start(const SideFrame& side, const StepChoice& step);

} // namespace lanescope::app
