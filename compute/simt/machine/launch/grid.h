// Runs all blocks of a launch on as many cores as its kernel allows, with identical results on
// every run.
#pragma once

#include "compute/simt/machine/state/launch_state.h"
#include "compute/simt/machine/turns/pool.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

// Throws the KernelFault of the lowest block that has one. Fills `trace` unless null.
void run_grid(LaunchState& state, Pool& pool, trace::Trace* trace);

} // namespace lanescope::simt
