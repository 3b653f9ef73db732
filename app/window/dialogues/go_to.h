// Goes to a position of the stepped launch, given by a typed name or condition.
#pragma once

#include <string>

#include "app/document/commands.h"
#include "app/window/gui/layout.h"
#include "app/window/gui/style.h"

namespace lanescope::app {

class GoTo {
public:
    void begin() { open_ = just_opened_ = true; }
    bool open() const { return open_; }
    void close() { open_ = false; }

    // Drawn in the middle of the area. Enter goes to the position, Shift Enter searches backwards;
    // either closes the dialogue and selects the warp found there.
    void draw(const PanelStyle& style, const Area& area, const StepChoice& step, Commands& out);

private:
    bool open_ = false;
    bool just_opened_ = false;
    std::string text_; // kept for the next time
};

} // namespace lanescope::app
