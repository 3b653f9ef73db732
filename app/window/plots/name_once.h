// Plots side by side of the same series.
#pragma once

#include <vector>

#include "render/views/plot/plot.h"

namespace lanescope::app {

// The names stand once: beside the last plot that shows most series.
void name_once(std::vector<render::Plot>& plots);

} // namespace lanescope::app
