// The kernel's source with heat: what each line moved against what it needed; a click opens the
// line's PTX.
#pragma once

#include <vector>

#include "app/window/panels/style.h"
#include "app/window/source_heat.h"

namespace lanescope::app {

// `opened` is the 1-based line whose PTX is shown, 0 for none; true when the user changed it.
bool source_panel(const PanelStyle& style, const std::vector<SourceLine>& lines, int& opened);

} // namespace lanescope::app
