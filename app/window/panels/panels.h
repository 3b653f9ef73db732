// The widgets of the window, a file a panel. Each is a function without a state of its own:
// document and frame in, commands out; what is typed or held meanwhile is in Interaction.
//
// A new panel: a function here, its file, and its place in window/panels/compose.cpp.
#pragma once

#include <string>

#include "app/document/commands.h"
#include "app/export/exhibit.h"
#include "app/run/frame.h"
#include "app/window/interaction.h"
#include "app/window/layout.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

// What every panel sees.
struct View {
    const PanelStyle& style;
    const Document& document;
    const Frame& frame;
    Interaction& ui;
    double frames_per_s = 0; // pictures, by the wall clock
    double steps_per_s = 0;  // drawing included
    double busy_s = 0;       // that the step under way has taken
    std::string renderer;    // who draws
};

// All of them, where the layout says.
void draw_panels(const View& view, const Layout& layout, Commands& out);

// The list of labs and, under the chosen one, its variants as rungs with their keys.
void labs_panel(const View& view, Commands& out);

// Sliders, lists and check boxes for the values that the shown variant knows; presets.
void parameters_panel(const View& view, Commands& out);
void presets_panel(const View& view, Commands& out);

// The one number of a screen, and what it is: "12.3 µs" and "a step, median of 120 …, cuda".
struct Headline {
    std::string number;
    std::string meaning;
};
Headline headline_of(const View& view);
void timing_panel(const View& view);
// A/B in numbers, line by line.
void sides_panel(const View& view);
// The headline of the lecture mode, large, in an area of its own.
void lecture_number(const View& view, const Area& area);

// What stands in the middle, and its heatmap, memory or request.
void subject_panel(const View& view, Commands& out);

// Which engine computes, who draws, how the picture gets there.
void engine_panel(const View& view, Commands& out);

// Pictures and videos: how they are taken and where they go.
void capture_panel(const View& view, Commands& out);

// The strip below: bars, history, sweep, roofline, source and lesson.
void bottom_panel(const View& view, Commands& out);
// What its tab shows, to be drawn or exported; nothing for a tab that is no exhibit, or has nothing
// yet. `wide`: there is room for the history beside the bars.
std::optional<Exhibit> shown_exhibit(const Document& document, const Frame& frame, bool wide);
bool is_wide(const Area& bottom, float em);
void source_panel(const View& view, Commands& out);
void lesson_panel(const PanelStyle& style, std::string_view markdown);
void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit);

// Over the picture: help, log, files, what is under way, errors and notices, and the question
// before closing.
void overlays(const View& view, const Area& area, Commands& out);
void progress_overlay(const PanelStyle& style, const std::string& what, double share,
                      const Area& area);

// What the mouse points at: block and warp, then what the warp did, a line each.
std::string warp_words(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                       const Dim3& block);
// Where a sector lies in its memory, and who touched it.
std::string sector_words(const std::string& memory, int sector, std::uint32_t requests,
                         std::uint32_t warps);

} // namespace lanescope::app
