// The lab's parameters as sliders, lists and check boxes, and its presets, straight from the
// record.
#pragma once

#include "app/window/panels/style.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// Changes `values` as the user moves things; true when it did.
bool parameters_panel(const PanelStyle& style, const labs::Lab& lab, labs::Values& values);

// True when the user picks a preset, whose number is then in `picked`.
bool presets_panel(const PanelStyle& style, const labs::Lab& lab, std::size_t& picked);

} // namespace lanescope::app
