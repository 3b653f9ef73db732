// File chooser for keyboard or mouse: typing filters the list, Enter opens.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/window/gui/style.h"

namespace lanescope::app {

class FileChooser {
public:
    // Shows the folder's sessions and pictures, newest first.
    void begin(const std::filesystem::path& folder);
    bool open() const { return open_; }
    void close() { open_ = false; }

    // Draws the chooser in the middle of the area; returns the file once one is chosen, and closes.
    std::optional<std::filesystem::path> draw(const PanelStyle& style, ImVec2 at, ImVec2 size);

private:
    struct Entry {
        std::filesystem::path path;
        std::string title;
    };
    void list();
    std::optional<std::filesystem::path> enter(const std::filesystem::path& path);

    bool open_ = false;
    bool just_opened_ = false;
    std::filesystem::path folder_;
    std::string typed_;
    std::vector<Entry> entries_;
};

} // namespace lanescope::app
