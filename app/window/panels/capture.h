// Pictures and videos: how they are taken, where they go, and the buttons that take them.
#pragma once

#include <string>

#include "app/document/look.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

// What the user asked for in this frame.
struct CaptureWishes {
    bool picture = false;
    bool record = false; // begin or end
    bool folder = false; // the text of the folder was changed, and is meant
};

CaptureWishes capture_panel(const PanelStyle& style, CaptureChoice& choice, bool recording,
                            std::string& folder);

} // namespace lanescope::app
