// Combines the counts of several launches into one trace: those of a step, and those of a launch
// with its device-side launches.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::trace {

// Index of a site in a list, usually `guess`; the list's size if it is not there.
std::size_t place_of(const Site& site, const std::vector<Site>& all, std::size_t guess);

// An empty trace that requests the same data as `asked`.
Trace with_same_requests(const Trace& asked);
// Adds a launch to a step's counts. Sites of another kernel are appended; per-warp counts are those
// of the step's first kernel. With device-side launches, the warps of all launches are
// concatenated.
void add_launch(Trace& step, Trace&& launch);

// A trace for a device-side launch of the traced kernel: requests the same maps, and the watched
// request if it belongs to one of its warps. `sites` are the child's, taken from the parent's. Data
// of a single block or kernel is recorded for the parent only.
Trace child_trace(const Trace& parent, const std::vector<Site>& sites);
// Adds the filled child trace: sites are added up, and the child's warps are appended.
void add_child(Trace& parent, Trace&& child);

} // namespace lanescope::trace
