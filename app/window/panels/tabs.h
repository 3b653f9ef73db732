// The names of the tabs of a panel with their keys, in one line whatever its width.
#pragma once

#include <span>
#include <string>

#include "app/window/panels/style.h"

namespace lanescope::app {

struct Tab {
    const char* id;
    const char* title;
    const char* key;
};

// What was clicked besides a tab.
enum class TabsClick { none, exports, folds };

// Changes `chosen` to the id of the tab that is clicked. `exportable` offers the button.
TabsClick tabs_panel(const PanelStyle& style, std::span<const Tab> tabs, bool exportable,
                     std::string& chosen);

} // namespace lanescope::app
