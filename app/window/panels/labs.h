// The list of labs and, under the chosen one, its variants as rungs with their keys.
#pragma once

#include <string>

#include "app/window/panels/style.h"

namespace lanescope::app {

// Changes the ids when the user picks another; true when it did.
bool labs_panel(const PanelStyle& style, std::string& lab, std::string& variant);

} // namespace lanescope::app
