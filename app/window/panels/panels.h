// The widgets of the window, one file per panel. Each is a stateless function: document and frame
// in, commands out; transient input is in Interaction.
//
// A new panel needs a function here, its file, and a place in window/panels/compose.cpp.
#pragma once

#include <optional>
#include <string>

#include "app/document/commands.h"
#include "app/export/exhibit.h"
#include "app/run/frame/frame.h"
#include "app/window/gui/layout.h"
#include "app/window/gui/style.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {

class Answers;

// Input of every panel.
struct View {
    const PanelStyle& style;
    const Document& document;
    const Frame& frame;
    Interaction& ui;
    double frames_per_s = 0;          // pictures per second of wall-clock time
    double steps_per_s = 0;           // including drawing
    double busy_s = 0;                // duration of the current step so far
    std::string renderer;             // name of the OpenGL renderer
    const Answers* answers = nullptr; // for lessons and cards; never null
};

// Draws all panels where the layout places them.
void draw_panels(const View& view, const Layout& layout, Commands& out);

// The bar at the top: the lab, its subjects if there is room, and what can be done.
void bar_panel(const View& view, const Layout& layout, Commands& out);
// The name of the lab, which opens the list of all labs.
void lab_list(const View& view, float width, Commands& out);
float lab_list_width(const View& view); // width that the whole name needs
// The subject tabs, on a line of their own above the picture.
void subjects_panel(const View& view, const Area& area, Commands& out);
// The line at the bottom. Draw it after everything that may describe itself there.
void status_line(const View& view, const Layout& layout, Commands& out);
// Does what this key, as spelled in prose ("H", "Ctrl E"), does; nothing if it is not a key.
void press_key(const View& view, std::string_view key, Commands& out);
// Makes the status line describe the last widget while the mouse or the keyboard focus is on it.
void describe_item(const View& view, std::string what, std::string keys);

// The lab's variants as rungs with their keys and recorded times.
void variants_panel(const View& view, Commands& out);
// A variant's time on the GPU of a recording.
struct RecordedTime {
    std::string time;   // "267 µs"
    std::string device; // "H100"
    std::string size;   // "size 8,192"
    std::string source; // "at size 8,192 on NVIDIA H100 80GB HBM3, driver 580.159.04, 2026-11-25"
    std::string per;    // "step" or "frame"
};
// Empty without a recording of the variant, or while a talk still withholds it.
std::optional<RecordedTime> recorded_time(const Document& document, const Frame& frame,
                                          const std::string& variant);
// "fastest: float4, 182 µs", or "the fastest of 4": compares the variant's recorded time with those
// of the lab's other correct rungs at the same size. Empty during a talk, which asks for times, and
// where the variants are no rungs of a ladder.
std::string fastest_words(const Document& document, const Frame& frame);

// Hints for newcomers, over the picture. hint_of() returns the bit of the hint that the command
// fulfils; 0: none.
void first_run_panel(const View& view, const Area& area);
unsigned hint_of(const Command& command);

// Search over actions, labs, presets, cards and lectures.
void palette_panel(const View& view, Commands& out);
// Engine, pictures and videos, theme and text size.
void settings_panel(const View& view, const Layout& layout, Commands& out);

// Sliders, lists and check boxes for the current variant's parameters; presets.
void parameters_panel(const View& view, Commands& out);
void presets_panel(const View& view, Commands& out);

// Record entries of a lab that is made of texts: memory, launch, picture, and actions between
// steps.
void record_panel(const View& view, Commands& out);
// The compiler's header search path.
void include_folders(const View& view, Commands& out);

// The main number of the screen and its meaning: "12.3 µs" and "a step, median of 120 …, cuda";
// without a clock, the count that the lab is about.
struct Headline {
    std::string number;
    std::string meaning;
    std::string ideal{}; // beside the meaning: "ideal 4"; empty if unknown
    bool good = false;   // ideal, or better than before
    bool fault = false;  // the launch ended in a fault
};
Headline headline_of(const Document& document, const Frame& frame);
// Times measured on a GPU, launches from the device, warnings; returns false if there are none.
bool timing_panel(const View& view);
// A/B in numbers, line by line.
void sides_panel(const View& view);
// The lecture mode's headline, large, in its own area.
void number_strip(const View& view, const Area& area);

// Settings of the subject: the view, a heatmap, the memory or the request.
void subject_panel(const View& view, Commands& out);

// The compute engine, the renderer, and how the picture is transferred.
void engine_panel(const View& view, Commands& out);

// Settings and destination of pictures and videos.
void capture_panel(const View& view, Commands& out);

// The strip below: bars, history, sweep, roofline, source and lesson.
void bottom_panel(const View& view, Commands& out);
// The contents of the open tab, to be drawn or exported; empty if the tab has nothing to export, or
// nothing yet. `wide`: there is room for the history beside the bars.
std::optional<Exhibit> shown_exhibit(const Document& document, const Frame& frame, bool wide);
bool is_wide(const Area& bottom, float em);
// The kernel's text with its counts: in the strip, or beside the picture (window/editor/).
void source_panel(const View& view, Commands& out);
// Costs of edited kernels, version by version (window/editor/).
void versions_panel(const View& view, Commands& out);
// Output printed by kernels.
void output_panel(const View& view);
// A whole program: the button to run it, and its launches, copies, findings and output.
void program_panel(const View& view, Commands& out);
// The button that runs the program on offer; draws nothing if there is none.
void program_button(const View& view, Commands& out);
// Keys in the text, such as `H`, are clickable.
void lesson_panel(const View& view, std::string_view markdown, Commands& out);
void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit);

// In place of the picture: the kernel's fault at its line, and the way to the fixed variant.
bool shows_fault(const Document& document, const Frame& frame);
// True if this error is the fault shown there.
bool is_fault_overlay(const Document& document, const Frame& frame, const std::string& error);
void fault_panel(const View& view, const Area& area, Commands& out);

// The headline beside a fault's title; returns false if there is no room.
bool headline_over_fault(const View& view, const Area& area);
// Makes room for a picture that includes the number: in the lecture mode, it also gets the number's
// strip.
void leave_room_for_picture(const Document& document, const Frame& frame, float em, Layout& layout);

// The text and revealed number of a talk's beat, below the picture; or an open question, which
// covers everything that could give away its answer. `layout` makes room for them.
void leave_room_for_beat(const Document& document, const Interaction& ui, float em, Layout& layout);
void beat_panel(const View& view, const Area& area, Commands& out);
void question_panel(const View& view, const Area& area, Commands& out);
// Draws the source of the kernel in question at the left of the area; returns the rest of it.
Area beside_question_source(const View& view, const Area& area);
std::string place_of(const Presentation& presentation); // "2 / 30   How many sectors?"
char letter_of(std::size_t choice);                     // 'A' is the key of the first choice
// A slide's claim, the experiment that decides it and the verdict, over the picture.
void cards_panel(const View& view, const Area& area, Commands& out);

// At the right of the caption: the recorded time or, in the lecture mode, PAUSED.
bool shows_pause(const Document& document);
inline constexpr float pause_mark_em = 6; // width, in heights of the picture's text
inline constexpr float recording_mark_em = 11;
void marks(const View& view, const Area& area);

// Over the picture: log, files, progress, errors and notices, and the question before
// closing.
void overlays(const View& view, const Area& area, Commands& out);
void progress_overlay(const PanelStyle& style, const std::string& what, double share,
                      const Area& area);

// Tooltip of a warp: its block and number, then its counts, one per line. `of`: the accesses that
// were summed.
std::string warp_tooltip(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                         const Dim3& block, trace::Scope of = trace::Scope::all);
// Tooltip of a sector: its position in memory, and which requests touched it.
std::string sector_tooltip(const std::string& memory, int sector, std::uint32_t requests,
                           std::uint32_t warps);

} // namespace lanescope::app
