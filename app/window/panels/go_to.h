// A place of the launch that is stepped through, by a name or a condition that is typed.
#pragma once

#include <string>

#include "app/document/commands.h"
#include "app/window/layout.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

class GoTo {
public:
    void begin() { open_ = just_opened_ = true; }
    bool open() const { return open_; }
    void close() { open_ = false; }

    // In the middle of the area. Enter goes there, with Shift looking for it backwards, and closes
    // it; the warp of that place is the one that is looked at from then on.
    void draw(const PanelStyle& style, const Area& area, const StepChoice& step, Commands& out);

private:
    bool open_ = false;
    bool just_opened_ = false;
    std::string text_; // what was typed last stays
};

} // namespace lanescope::app
