// What belongs to neither document nor frame: where the keyboard stands, what is held or typed,
// what the mouse points at. Nothing of it is kept, undone or drawn into a picture.
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
#include "app/window/editor/code_state.h"
#include "app/window/panels/files.h"
#include "app/window/panels/go_to.h"
#include "app/window/panels/save_as.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

// What is being written, and what has been asked for.
struct CaptureStatus {
    bool recording = false;
    bool of_window = false; // it is the window that is recorded
    bool finishing = false; // what was recorded is being written
    std::filesystem::path path{};
    int frames = 0;
    int written = 0;
    double frames_per_second = 0;
    std::optional<int> frames_wanted{};
    double saving_s = 0; // since the oldest file that is being written was begun; 0: none
};

// The program that may be run, and what came of the one that was.
struct ProgramShown {
    std::filesystem::path offered{};             // empty: none
    std::shared_ptr<const ProgramFrame> frame{}; // null: none was run
};

struct Interaction {
    float pixels_per_point = 1;
    // Where the flat picture lies in the target that it was drawn into, in pixels; nothing for a
    // surface.
    std::optional<render::Placement> placement;
    bool beside = false; // both sides of A/B were drawn
    std::string hover;   // what the mouse points at, in words
    // The middles of variants and sliders in this frame, in points, by their ids: for the report.
    std::map<std::string, ImVec2> places;
    double mouse_moved_s = -1e9; // when it did last, by Dear ImGui's clock
    bool divider_held = false;

    // What a newcomer may try, until it was tried: a bit a hint (panels/hints.cpp).
    unsigned tried = 0;
    bool drawer = false;     // panels that are folded lie over the picture
    bool labs_apart = false; // the labs have a panel of their own

    // The keyboard: 0 is the picture, then the panels.
    int panel = 0;
    int panel_frames = 0; // since then
    bool panel_marked = false;

    float band = 0;                    // how high the words of the talk's beat are, in points …
    const void* band_of = nullptr;     // … and of which beat
    double asked_s = 0;                // when its question began, by Dear ImGui's clock …
    const void* question_of = nullptr; // … and of which beat

    double race_began_s = 0; // of recorded times, by Dear ImGui's clock …
    std::string race_of;     // … and what made it begin

    CodeState code;

    // The stepping mode: what is shown, where that can be pointed at, and what the mouse points at:
    // an expression, in a lane; -1: it is the same in all.
    SteppedShown stepped;
    SteppedHits step_hits;
    std::string step_pointed;
    int step_lane = 0;
    bool step_bar_held = false;

    FileChooser files;
    SaveAs save_as;
    GoTo go_to;
    bool dialogue_open() const { return files.open() || save_as.open() || go_to.open(); }
    std::string folder_text; // as it is being typed
    bool folder_typed = false;
    bool close_question_open = false;
    std::string shown_entry; // a parameter or a part of the record that is to be scrolled to
    CaptureStatus captures;
    ProgramShown program;
    std::shared_ptr<const KernelOutput::Text> printed = std::make_shared<KernelOutput::Text>();
};

} // namespace lanescope::app
