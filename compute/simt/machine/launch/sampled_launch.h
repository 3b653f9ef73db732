// A launch of which only some blocks are checked, if Options::sample asks for it: these run first,
// on memory that is then restored; after that all blocks run without the checks, so that results
// and counts are those of the whole launch.
#pragma once

#include <functional>

#include "compute/simt/machine/state/launch_state.h"
#include "compute/simt/machine/turns/pool.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

// Saves all memory; the returned function restores it.
using SaveMemory = std::function<std::function<void()>()>;

// As run_grid(). Checks the whole launch if it is small or its blocks depend on each other.
void run_launch(LaunchState& state, Pool& pool, trace::Trace* trace, const SaveMemory& save);

} // namespace lanescope::simt
