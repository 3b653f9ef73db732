// The kernel's source with its counts, as a page.
#pragma once

#include <string>
#include <vector>

#include "app/export/exhibit.h"
#include "app/window/source_heat.h"

namespace lanescope::app {

Exhibit source_exhibit(const std::string& title, const std::vector<SourceLine>& lines);

} // namespace lanescope::app
