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

class Answers;

// What every panel sees.
struct View {
    const PanelStyle& style;
    const Document& document;
    const Frame& frame;
    Interaction& ui;
    double frames_per_s = 0;          // pictures, by the wall clock
    double steps_per_s = 0;           // drawing included
    double busy_s = 0;                // that the step under way has taken
    std::string renderer;             // who draws
    const Answers* answers = nullptr; // what lessons and cards reveal; never null
};

// All of them, where the layout says.
void draw_panels(const View& view, const Layout& layout, Commands& out);

// The list of labs and, under the chosen one, its variants as rungs with their keys; or the chosen
// one alone, with the others in a list that opens.
void labs_panel(const View& view, Commands& out);
void lab_panel(const View& view, Commands& out);

// What a newcomer may try, and which hint a command follows (a bit; 0: none).
void hints_panel(const View& view);
float hints_height(const View& view); // 0: everything was tried
unsigned hint_of(const Command& command);

// Sliders, lists and check boxes for the values that the shown variant knows; presets.
void parameters_panel(const View& view, Commands& out);
void presets_panel(const View& view, Commands& out);

// Entries of the record of a lab of texts: memory, launch, what is drawn, what happens between
// steps.
void record_panel(const View& view, Commands& out);
// Where the compiler searches for headers.
void include_folders(const View& view, Commands& out);

// The one number of a screen, and what it is: "12.3 µs" and "a step, median of 120 …, cuda", or
// where there is no clock the count that the lab is about.
struct Headline {
    std::string number;
    std::string meaning;
    std::string ideal{}; // beside the meaning: "ideal 4"; empty: none is known
    bool good = false;   // it is that, or better than before
};
Headline headline_of(const View& view);
void timing_panel(const View& view);
// A/B in numbers, line by line.
void sides_panel(const View& view);
// The headline, large, in an area of its own; where panels are folded with the button that unfolds
// them.
void number_strip(const View& view, const Area& area);

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
// The kernel's text with its counts: in the strip, or beside the picture (window/editor/).
void source_panel(const View& view, Commands& out);
// What edited kernels cost, version by version (window/editor/).
void versions_panel(const View& view, Commands& out);
// What the kernels printed.
void output_panel(const View& view);
// A whole program: the offer to run it, and its launches, copies, findings and output.
void program_panel(const View& view, Commands& out);
// The button that runs the one that is offered; nothing where none is.
void program_button(const View& view, Commands& out);
// Keys in its text, `H`, can be clicked.
void lesson_panel(const View& view, std::string_view markdown, Commands& out);
void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit);

// In the picture's place: what a kernel did wrong, at its line, and the way to what is fixed.
bool shows_fault(const Document& document, const Frame& frame);
// This error is the fault that stands there.
bool is_fault_overlay(const Document& document, const Frame& frame, const std::string& error);
void fault_panel(const View& view, const Area& area, Commands& out);

// The same for a fault, in the lecture mode, where there is room.
void headline_over_fault(const View& view, const Area& area);
// In the lecture mode a picture that says the number itself takes its strip's room, too.
void leave_room_for_picture(const Document& document, const Frame& frame, float em, Layout& layout);

// The words of the talk's beat and what it reveals, below the picture; an open question, in the
// place of everything that could answer it. `layout` gives them room.
void leave_room_for_beat(const Document& document, const Interaction& ui, float em, Layout& layout);
void beat_panel(const View& view, const Area& area, Commands& out);
void question_panel(const View& view, const Area& area, Commands& out);
std::string place_of(const Giving& giving); // "2 / 30   How many sectors?"
char letter_of(std::size_t choice);         // 'A' is the key of the first
// A claim of a slide, what decides it and the verdict, over the picture.
void cards_panel(const View& view, const Area& area, Commands& out);

// At the right of the caption: PAUSED, or how long has been recorded.
inline constexpr float pause_mark_em = 6; // so wide, in heights of the picture's text
inline constexpr float recording_mark_em = 11;
void marks(const View& view, const Area& area);

// Over the picture: help, log, files, what is under way, errors and notices, and the question
// before closing.
void overlays(const View& view, const Area& area, Commands& out);
void progress_overlay(const PanelStyle& style, const std::string& what, double share,
                      const Area& area);

// What the mouse points at: block and warp, then what the warp did, a line each. `of`: the accesses
// that were summed.
std::string warp_tooltip(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                         const Dim3& block, trace::Scope of = trace::Scope::all);
// Where a sector lies in its memory, and who touched it.
std::string sector_tooltip(const std::string& memory, int sector, std::uint32_t requests,
                           std::uint32_t warps);

} // namespace lanescope::app
