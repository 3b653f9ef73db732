// Which engine computes, who draws, how the picture gets there; and the live timing. Words and
// numbers only.
#pragma once

#include "app/window/panels/readings.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

void timing_panel(const PanelStyle& style, const Readings& readings);

// Changes `choice` ("auto", "cuda", "simt") when the user wants another engine; true when it did.
bool engine_panel(const PanelStyle& style, const Readings& readings, std::string& choice);

} // namespace lanescope::app
