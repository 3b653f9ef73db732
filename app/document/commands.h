// Every change of the document, as plain data: keys, sliders, drops, sessions, presets and clickers
// make the same commands, so that one list undoes, redoes, logs and plays them again.
//
// A new command: a struct here, with its word in scripts and its fields, its place in Command, and
// what it does in commands.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "app/document/document.h"

namespace lanescope::app {

// The experiment.
struct ChooseVariant {
    static constexpr const char* word = "variant";
    std::string id;
    auto fields() { return std::tie(id); }
};
struct SetValue {
    static constexpr const char* word = "set";
    std::string id;
    std::string text;
    auto fields() { return std::tie(id, text); }
};
struct ChoosePreset {
    static constexpr const char* word = "preset";
    std::size_t index = 0;
    auto fields() { return std::tie(index); }
};
struct Paint {
    static constexpr const char* word = "paint";
    labs::Stroke stroke;
    auto fields() { return std::tie(stroke.u, stroke.v, stroke.radius, stroke.erase); }
};
struct Pause {
    static constexpr const char* word = "pause";
    bool on = true;
    auto fields() { return std::tie(on); }
};
struct StepOnce {
    static constexpr const char* word = "step";
    auto fields() { return std::tie(); }
};
struct Restart {
    static constexpr const char* word = "restart";
    auto fields() { return std::tie(); }
};
struct ChooseLab {
    static constexpr const char* word = "lab";
    std::string lab;
    std::string variant; // empty: its first
    auto fields() { return std::tie(lab, variant); }
};
struct ChooseEngine {
    static constexpr const char* word = "engine";
    std::string choice;
    auto fields() { return std::tie(choice); }
};
struct OpenFile {
    static constexpr const char* word = "open";
    std::string path;
    auto fields() { return std::tie(path); }
};

// How it is looked at.
struct SetView {
    static constexpr const char* word = "view";
    std::string view;
    auto fields() { return std::tie(view); }
};
struct SetMap {
    static constexpr const char* word = "map";
    std::string map;
    auto fields() { return std::tie(map); }
};
struct SetMapBlend {
    static constexpr const char* word = "map_blend";
    float blend = 1;
    auto fields() { return std::tie(blend); }
};
struct SetMapScale {
    static constexpr const char* word = "map_automatic";
    bool automatic = true;
    auto fields() { return std::tie(automatic); }
};
struct ShowSubject {
    static constexpr const char* word = "show";
    Subject subject = Subject::picture;
    auto fields() { return std::tie(subject); }
};
struct ShowMemory {
    static constexpr const char* word = "memory";
    std::string name;
    bool warps = false;
    auto fields() { return std::tie(name, warps); }
};
struct ShowRequest {
    static constexpr const char* word = "request";
    RequestChoice choice;
    auto fields() { return std::tie(choice.site, choice.warp, choice.request); }
};
struct Compare {
    static constexpr const char* word = "compare";
    std::string variant; // empty: no longer
    auto fields() { return std::tie(variant); }
};
struct ShowDifference {
    static constexpr const char* word = "difference";
    bool on = true;
    auto fields() { return std::tie(on); }
};
struct MoveDivider {
    static constexpr const char* word = "divider";
    float to = 0.5F;
    auto fields() { return std::tie(to); }
};
struct Turn {
    static constexpr const char* word = "camera";
    render::Camera camera;
    auto fields()
    {
        return std::tie(camera.azimuth_degrees, camera.elevation_degrees, camera.distance);
    }
};
struct Zoom {
    static constexpr const char* word = "zoom";
    render::PanZoom to;
    auto fields() { return std::tie(to.zoom, to.centre.x, to.centre.y); }
};
struct SetTheme {
    static constexpr const char* word = "light";
    bool light = false;
    auto fields() { return std::tie(light); }
};
struct SetTextZoom {
    static constexpr const char* word = "text";
    float zoom = 1;
    auto fields() { return std::tie(zoom); }
};
struct Lecture {
    static constexpr const char* word = "lecture";
    bool on = true;
    auto fields() { return std::tie(on); }
};
struct SizePanel {
    static constexpr const char* word = "panel";
    std::string panel; // "left", "right", "bottom"
    float em = 0;
    auto fields() { return std::tie(panel, em); }
};
struct ShowTab {
    static constexpr const char* word = "tab";
    std::string tab; // empty: folded away
    auto fields() { return std::tie(tab); }
};
struct SetCapture {
    static constexpr const char* word = "capture";
    CaptureChoice choice;
    auto fields() { return std::tie(choice.scale, choice.format, choice.rate, choice.seconds); }
};
struct ChooseSweep {
    static constexpr const char* word = "sweep";
    SweepChoice choice;
    auto fields() { return std::tie(choice.title, choice.all_variants); }
};
struct OpenLine {
    static constexpr const char* word = "line";
    int line = 0;
    auto fields() { return std::tie(line); }
};
struct ShowHelp {
    static constexpr const char* word = "help";
    bool on = true;
    auto fields() { return std::tie(on); }
};
struct ShowLog {
    static constexpr const char* word = "log";
    bool on = true;
    auto fields() { return std::tie(on); }
};
struct SetFolder {
    static constexpr const char* word = "folder";
    std::string path;
    auto fields() { return std::tie(path); }
};

// Of the program.
struct Undo {
    static constexpr const char* word = "undo";
    auto fields() { return std::tie(); }
};
struct Redo {
    static constexpr const char* word = "redo";
    auto fields() { return std::tie(); }
};
struct Dismiss { // the error
    static constexpr const char* word = "dismiss";
    auto fields() { return std::tie(); }
};
// What is taken into files; the document stays as it is.
enum class Taken : std::uint8_t { picture, window, exhibit, recording, window_recording, session };
struct Take {
    static constexpr const char* word = "take";
    Taken what = Taken::picture;
    auto fields() { return std::tie(what); }
};
struct GiveUpFiles {
    static constexpr const char* word = "give_up";
    auto fields() { return std::tie(); }
};
struct Close {
    static constexpr const char* word = "close";
    auto fields() { return std::tie(); }
};

using Command =
    std::variant<ChooseVariant, SetValue, ChoosePreset, Paint, Pause, StepOnce, Restart, ChooseLab,
                 ChooseEngine, OpenFile, SetView, SetMap, SetMapBlend, SetMapScale, ShowSubject,
                 ShowMemory, ShowRequest, Compare, ShowDifference, MoveDivider, Turn, Zoom,
                 SetTheme, SetTextZoom, Lecture, SizePanel, ShowTab, SetCapture, ChooseSweep,
                 OpenLine, ShowHelp, ShowLog, SetFolder, Undo, Redo, Dismiss, Take, GiveUpFiles,
                 Close>;
using Commands = std::vector<Command>;

// Does what the command says. Throws Error (no_such_thing, bad_usage) for a lab, variant, value or
// folder that there is not; then the document is as before. Undo and Redo are those of Edits, and
// what is no change of the document does nothing here.
void apply(Document& document, const Command& command);

// What was opened takes the place of what is shown. An undo or redo brings its own document:
// Edits::arrive().
void arrive(Document& document, const Session& session, Wanted::Kind kind);

} // namespace lanescope::app
