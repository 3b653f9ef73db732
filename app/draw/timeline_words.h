// A step's operations as a picture of them: bars by the part of the GPU that did them, and what
// their overlap comes to.
#pragma once

#include <optional>

#include "compute/labs/picture.h"
#include "render/views/plot/timeline.h"

namespace lanescope::app {

// Of a timeline without times: those that were recorded of the same on a GPU, if any were.
render::TimelineData timeline_data(const labs::Timeline& timeline);
// Of what copies and kernels could overlap, the share that they did, 0 to 1; by the same times.
// Nothing where there are none, or where nothing could overlap.
std::optional<double> overlap_of(const labs::Timeline& timeline);
// Of several devices: the share of the step in which no kernel runs on one, their mean, 0 to 1; by
// the same times.
std::optional<double> waiting_of(const labs::Timeline& timeline);

} // namespace lanescope::app
