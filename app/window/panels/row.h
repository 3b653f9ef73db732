// A line of tabs or buttons that fits any width: if there is not enough room, it drops the keys,
// and then moves the last entries into a list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/window/panels/panels.h"

namespace lanescope::app {

struct RowEntry {
    enum class Icon : std::uint8_t { none, pause, run, gear };
    std::string id;
    std::string title;
    std::string key{};  // beside the title
    std::string help{}; // for the status line
    bool chosen = false;
    Icon icon = Icon::none; // replaces the title; the list shows the title
};

// Width of all entries with their keys, or without.
float row_width(const PanelStyle& style, std::span<const RowEntry> entries, bool keys);

// Draws the entries from the cursor on; returns the index of the one that was clicked.
std::optional<std::size_t> draw_row(const View& view, std::span<const RowEntry> entries,
                                    float room);

} // namespace lanescope::app
