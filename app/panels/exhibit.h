// An exhibit in a panel: its words, and its plots by the same code that exports draw them with.
#pragma once

#include "app/exhibit.h"
#include "app/panels/style.h"
#include "render/views/theme.h"

namespace lanescope::app {

// Fills the rest of the panel; parts that do not fit can be scrolled to.
void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit);

} // namespace lanescope::app
