// Transient state that belongs to neither document nor frame: keyboard focus, held and typed input,
// the mouse's target. None of it is saved, undone or drawn into a picture.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/draw/stepping.h"
#include "app/run/kernel/kernel_output.h"
#include "app/run/program/program_actor.h"
#include "app/window/dialogues/files.h"
#include "app/window/dialogues/go_to.h"
#include "app/window/dialogues/save_as.h"
#include "app/window/editor/text/code_state.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

// Progress of files being written and of pending requests.
struct CaptureStatus {
    bool recording = false;
    bool records_window = false; // the window is being recorded
    bool finishing = false;      // the recording has ended and is being written
    std::filesystem::path path{};
    int frames = 0;
    int written = 0;
    double frames_per_second = 0;
    std::optional<int> frames_wanted{};
    double saving_s = 0; // age of the oldest file being written; 0: none
};

// The program offered to be run, and the result of the last run.
struct ProgramShown {
    std::filesystem::path offered{};             // empty if none
    std::shared_ptr<const ProgramFrame> frame{}; // null if none was run
};

// Contents of the status line.
struct StatusWords {
    std::string what; // description of the widget under the mouse
    std::string keys; // keys that work there
};

// The search over everything, while Document::help is set.
struct PaletteState {
    bool open = false; // it was in the last frame
    std::string typed;
    int chosen = 0; // index of the entry that Enter chooses
    // A preset of another lab, until that lab is open.
    std::string preset_lab;
    std::size_t preset = 0;
};

struct Interaction {
    float pixels_per_point = 1;
    std::filesystem::path manual; // its first page, named by the search; empty: not installed
    // Position of the flat picture in its render target, in pixels; empty for a surface.
    std::optional<render::Placement> placement;
    bool beside = false; // both sides of A/B were drawn
    std::string hover;   // tooltip for the mouse position
    // Centres of variants and sliders in this frame, in points, by id: for the report.
    std::map<std::string, ImVec2> places;
    double mouse_moved_s = -1e9; // last time the mouse moved, by Dear ImGui's clock
    bool divider_held = false;

    bool first_run = false; // no earlier session: hints are shown (panels/teaching/first_run.cpp)
    unsigned tried = 0;     // hints already followed, one bit each
    bool drawer = false;    // folded panels are open over the picture
    bool settings = false;  // the settings are open
    bool strip = false;     // the strip was unfolded in the last frame
    bool has_variants_panel = false; // variants have their own panel
    StatusWords status;              // of the widget under the mouse, in this frame
    std::string lab_typed;           // search text of the list of labs
    PaletteState palette;

    // Keyboard focus: 0 is the picture, then the panels.
    int panel = 0;
    int panel_frames = 0; // frames since the last change
    bool panel_marked = false;

    float band = 0;                    // height of the text of the talk's beat, in points …
    const void* band_of = nullptr;     // … and the beat it belongs to
    double asked_s = 0;                // when its question was asked, by Dear ImGui's clock …
    const void* question_of = nullptr; // … and the beat it belongs to

    double race_began_s = 0; // start of the race of recorded times, by Dear ImGui's clock …
    std::string race_of;     // … and the cause of that start

    CodeState code;

    // The stepping mode: its frame, clickable areas, and the expression under the mouse with its
    // lane; -1: the same in all lanes.
    SteppedShown stepped;
    SteppedHits step_hits;
    std::string step_pointed;
    int step_lane = 0;
    bool step_bar_held = false;

    FileChooser files;
    SaveAs save_as;
    GoTo go_to;
    bool dialogue_open() const
    {
        return files.open() || save_as.open() || go_to.open() || settings;
    }
    std::string folder_text; // text being typed
    bool folder_typed = false;
    bool close_question_open = false;
    std::string shown_entry; // parameter or part of the record to scroll to
    CaptureStatus captures;
    ProgramShown program;
    std::shared_ptr<const KernelOutput::Text> printed = std::make_shared<KernelOutput::Text>();
};

} // namespace lanescope::app
