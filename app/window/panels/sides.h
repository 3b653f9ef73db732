// The two sides of A/B in numbers, line by line.
#pragma once

#include <span>
#include <string>

#include "app/window/panels/style.h"
#include "app/window/plots/reading.h"

namespace lanescope::app {

// Of the shown variant and of `rival`: the step's time where the engine has a clock, and what has
// been counted of both.
void sides_panel(const PanelStyle& style, std::span<const VariantReading> all,
                 const std::string& rival, bool has_clock);

} // namespace lanescope::app
