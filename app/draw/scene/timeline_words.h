// Converts a step's operations to a timeline: bars by the unit of the GPU that executed them, and
// the resulting overlap.
#pragma once

#include <optional>

#include "compute/experiment/lab/picture.h"
#include "render/views/plot/timeline.h"

namespace lanescope::app {

// For a timeline without times, uses those recorded for it on a GPU, if any.
render::TimelineData timeline_data(const labs::Timeline& timeline);
// Achieved fraction of the possible overlap of copies and kernels, 0 to 1, from the same times.
// Empty without times, or if nothing could overlap.
std::optional<double> overlap_of(const labs::Timeline& timeline);
// For several devices: the fraction of the step in which a device runs no kernel, averaged over
// devices, 0 to 1, from the same times.
std::optional<double> waiting_of(const labs::Timeline& timeline);

// For a step that draws: bytes copied to and from the host per frame, as counted in this run; empty
// for any other.
std::optional<double> host_bytes_per_frame(const labs::Timeline& timeline);

} // namespace lanescope::app
