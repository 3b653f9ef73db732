// A step's operations as a picture of them: bars by the part of the GPU that did them, and what
// their overlap comes to.
#pragma once

#include "compute/labs/picture.h"
#include "render/views/plot/timeline.h"

namespace lanescope::app {

// Of a timeline without times: those that were recorded of the same on a GPU, if any were.
render::TimelineData timeline_data(const labs::Timeline& timeline);

} // namespace lanescope::app
