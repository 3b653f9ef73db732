// A place of the launch that is stepped through, by a name or a condition that is typed.
#pragma once

#include <optional>
#include <string>

#include "app/document/step_move.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

class GoTo {
public:
    void begin() { open_ = just_opened_ = true; }
    bool open() const { return open_; }
    void close() { open_ = false; }

    // In the middle of the area; where to go once Enter says so, which closes it. With Shift it is
    // looked for going back.
    std::optional<StepMove> draw(const PanelStyle& style, ImVec2 at, ImVec2 size);

private:
    bool open_ = false;
    bool just_opened_ = false;
    std::string text_; // what was typed last stays
};

} // namespace lanescope::app
