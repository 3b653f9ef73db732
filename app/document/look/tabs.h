// The tabs of the strip below the picture, in order, with the ids that scripts, sessions and
// lectures store.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app::tabs {

inline constexpr const char* variants = "timings";
inline constexpr const char* history = "history";
inline constexpr const char* sweep = "sweep";
inline constexpr const char* roofline = "roofline";
inline constexpr const char* source = "source";
inline constexpr const char* lesson = "lesson";
inline constexpr const char* versions = "versions";
inline constexpr const char* output = "output";
inline constexpr const char* program = "program";

struct Tab {
    const char* id;
    const char* title;
    const char* key;              // displayed beside the title
    bool is_plot = false;         // needs height
    bool exportable = true;       // can be exported as figures and tables
    bool in_lectures = true;      // may be the page of a beat
    bool hidden_if_empty = false; // hidden while it has nothing to show
};

inline constexpr auto all = std::to_array<Tab>({
    {.id = variants, .title = "Variants", .key = "B"},
    {.id = history, .title = "History", .key = "Y", .is_plot = true},
    {.id = sweep, .title = "Sweep", .key = "W", .is_plot = true},
    {.id = roofline, .title = "Roofline", .key = "O", .is_plot = true},
    {.id = source, .title = "Source", .key = "C"},
    {.id = lesson, .title = "Lesson", .key = "L", .exportable = false},
    {.id = versions,
     .title = "Versions",
     .key = "⇧V",
     .exportable = false,
     .in_lectures = false,
     .hidden_if_empty = true},
    {.id = output, .title = "Output", .key = "⇧O", .exportable = false, .hidden_if_empty = true},
    {.id = program,
     .title = "Program",
     .key = "U",
     .exportable = false,
     .in_lectures = false,
     .hidden_if_empty = true},
});

// Returns null if there is no tab with this id.
constexpr const Tab* find(std::string_view id)
{
    for (const Tab& tab : all)
        if (tab.id == id) return &tab;
    return nullptr;
}

inline std::vector<std::string> ids()
{
    std::vector<std::string> names;
    for (const Tab& tab : all) names.emplace_back(tab.id);
    return names;
}

} // namespace lanescope::app::tabs
