// Saves under a typed name: the kernel's text, the session, or the lab as a folder.
#pragma once

#include <optional>
#include <string>

#include "app/document/commands.h"
#include "app/window/gui/style.h"

namespace lanescope::app {

class SaveAs {
public:
    void begin(const Document& document);
    bool open() const { return open_; }
    void close() { open_ = false; }

    // Drawn in the middle of the area; Enter closes it and returns the command to save.
    std::optional<Command> draw(const PanelStyle& style, ImVec2 at, ImVec2 size);

private:
    enum Kind { kernel, session, lab };
    bool open_ = false;
    bool just_opened_ = false;
    int kind_ = session;
    std::string names_[3]; // one per kind, as typed
    std::string folder_;
};

} // namespace lanescope::app
