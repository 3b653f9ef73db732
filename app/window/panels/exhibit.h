// An exhibit in a panel: its words, and its plots by the same code that exports draw them with.
#pragma once

#include "app/export/exhibit.h"
#include "app/window/panels/style.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

// Fills the rest of the panel; parts that do not fit can be scrolled to.
void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit);

} // namespace lanescope::app
