// The counts of a step of several launches, as if they were of one.
#pragma once

#include "compute/trace/trace.h"

namespace lanescope::labs {

// A trace that asks for what `asked` asks for.
trace::Trace with_same_requests(const trace::Trace& asked);
// Adds a launch to a step's counts. Sites of another kernel follow those that are there; counts per
// warp are of the step's first kernel.
void add_launch(trace::Trace& step, trace::Trace&& launch);

} // namespace lanescope::labs
