// The counts of several launches as if they were of one: those of a step, and those of a launch
// with the kernels that it launches from the device.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::trace {

// A trace that asks for what `asked` asks for.
Trace with_same_requests(const Trace& asked);
// Adds a launch to a step's counts. Sites of another kernel follow those that are there; counts per
// warp are of the step's first kernel. Where kernels launched kernels, the warps of all launches
// follow each other.
void add_launch(Trace& step, Trace&& launch);

// A trace for a kernel that the traced one has launched from the device: it asks for the same maps,
// and for the request if that is one of its warps'. `sites` are the child's, of those of the
// parent. What is of one block or one kernel is the parent's alone.
Trace for_child(const Trace& parent, const std::vector<Site>& sites);
// Adds what that trace was filled with: sites are added up, and the child's warps follow those that
// are there.
void add_child(Trace& parent, Trace&& child);

} // namespace lanescope::trace
