// Every change of the document, as plain data: keys, sliders, drops, sessions, presets and clickers
// produce the same commands, so that one list can be undone, redone, logged and replayed.
//
// To add a command: a struct here with its script word and fields, its entry in Command, and its
// effect in commands.cpp. An enum among the fields names its largest value `last`: scripts store
// numbers, and larger ones are refused.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "app/document/document.h"
#include "app/document/experiment/step_move.h"
#include "app/document/values/one_of.h"

namespace lanescope::app {

// --- The experiment ---
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
constexpr double usual_brush = 0.03; // fraction of the picture's width
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
    std::string variant; // empty: the lab's first variant
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

// Kernel source. These commands change the edited source; the view follows once it has compiled and
// run without faults on the lockstep machine.
//
// Sets the full source of a variant; sent with every keystroke. A variant of the record stays as it
// is: the text goes to a copy of it, "Naive (edited)", which later commands name. edited_text()
// returns the variant that is in the editor.
struct EditText {
    static constexpr const char* word = "edit";
    std::string variant;
    std::string text;
    auto fields() { return std::tie(variant, text); }
};
// Sets any other file of the lab, such as lab.json.
struct EditFile {
    static constexpr const char* word = "edit_file";
    std::string file;
    std::string text;
    auto fields() { return std::tie(file, text); }
};
// Sets an entry of the lab's record by its JSON pointer ("/buffers/x/fill"); `value` is JSON, and
// null removes the entry. It saves editing the text of lab.json.
struct SetRecordEntry {
    static constexpr const char* word = "record";
    std::string pointer;
    std::string value;
    auto fields() { return std::tie(pointer, value); }
};
// Adds a variant with the source and launch of the one on screen.
struct BeginVariant {
    static constexpr const char* word = "begin_variant";
    std::string title;
    auto fields() { return std::tie(title); }
};
// Reverts all edits to the last validated version.
struct RevertText {
    static constexpr const char* word = "revert";
    auto fields() { return std::tie(); }
};
// Restores the source of a version; -1: of the one before the version on screen.
struct GoToVersion {
    static constexpr const char* word = "version";
    std::string variant; // empty: the variant on screen
    int number = -1;
    auto fields() { return std::tie(variant, number); }
};
// Shows a version as the other side of A/B. It becomes a variant, "Naive (edited) 3", so that it
// can be viewed like any other.
struct CompareVersion {
    static constexpr const char* word = "compare_version";
    std::string variant;
    int number = 0;
    auto fields() { return std::tie(variant, number); }
};
struct CompileNow {
    static constexpr const char* word = "compile";
    auto fields() { return std::tie(); }
};
struct SetAutomaticCompiling {
    static constexpr const char* word = "automatic";
    bool on = true;
    auto fields() { return std::tie(on); }
};
// Sets the compiler's include folders (-I), separated by colons.
struct SetIncludeFolders {
    static constexpr const char* word = "include_folders";
    std::string folders;
    auto fields() { return std::tie(folders); }
};
// If set, show only code that ran cleanly on the lockstep machine.
struct SetCareful {
    static constexpr const char* word = "careful";
    bool on = true;
    auto fields() { return std::tie(on); }
};

// --- The view ---
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
struct SetMapOf {
    static constexpr const char* word = "map_of";
    trace::Scope of = trace::Scope::all;
    auto fields() { return std::tie(of); }
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
struct ShowTree {
    static constexpr const char* word = "tree";
    bool block = false; // all threads of the block instead of one warp
    auto fields() { return std::tie(block); }
};
struct Compare {
    static constexpr const char* word = "compare";
    std::string variant; // empty: ends A/B
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
struct Orbit {
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
// Resets pan, zoom and camera.
struct ShowWholePicture {
    static constexpr const char* word = "whole_picture";
    auto fields() { return std::tie(); }
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
// Moves a talk by `by` beats; a beat with a question stops twice, to ask and to reveal. Without a
// talk, starts the lab's lesson; the next lab's lesson follows it.
struct AdvanceBeat {
    static constexpr const char* word = "advance_beat";
    int by = 1; // -1: back
    auto fields() { return std::tie(by); }
};
struct Blank {
    static constexpr const char* word = "blank";
    bool on = true;
    auto fields() { return std::tie(on); }
};
// Counts an audience vote for a choice while a question is open.
struct Vote {
    static constexpr const char* word = "vote";
    std::size_t choice = 0;
    bool withdrawn = false;
    auto fields() { return std::tie(choice, withdrawn); }
};
struct EndTalk {
    static constexpr const char* word = "end_talk";
    auto fields() { return std::tie(); }
};
// Shows the cards, which check claims of lecture notes.
struct ShowCards {
    static constexpr const char* word = "cards";
    bool on = true;
    std::size_t card = 0;
    auto fields() { return std::tie(on, card); }
};
struct SizePanel {
    static constexpr const char* word = "panel";
    std::string panel; // "left", "right", "bottom"
    float em = 0;
    auto fields() { return std::tie(panel, em); }
};
struct ShowTab {
    static constexpr const char* word = "tab";
    std::string tab; // empty: folds the strip
    auto fields() { return std::tie(tab); }
};
struct PlaceCode { // chooses where the source is shown
    static constexpr const char* word = "code";
    CodeChoice choice;
    auto fields() { return std::tie(choice.place, choice.share, choice.heat); }
};
struct WholeStrip { // extends the strip over the whole window
    static constexpr const char* word = "whole";
    bool on = true;
    auto fields() { return std::tie(on); }
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

// Enters or leaves the stepping mode, which starts paused before the first instruction of the step
// that made the picture, or of the first step.
struct StepMode {
    static constexpr const char* word = "stepping";
    bool on = true;
    auto fields() { return std::tie(on); }
};
// Moves within the launch; the document follows when the move is complete.
struct StepLaunch {
    static constexpr const char* word = "step_launch";
    StepMove move;
    auto fields() { return std::tie(move.kind, move.back, move.count, move.lane, move.text); }
};
struct ShowStepped {
    static constexpr const char* word = "step_show";
    StepChoice choice; // its position is ignored
    auto fields()
    {
        return std::tie(choice.optimised, choice.warp, choice.lane, choice.page, choice.node,
                        choice.ptx);
    }
};
struct ToggleBreakpoint {
    static constexpr const char* word = "breakpoint";
    int line = 0;
    auto fields() { return std::tie(line); }
};
// Explains the value of the element at a point of the picture, 0 to 1 from its lower left.
struct ExplainElement {
    static constexpr const char* word = "explain";
    double u = 0;
    double v = 0;
    auto fields() { return std::tie(u, v); }
};

// Runs a whole program with its main(), in a process beside the window. Only this runs the
// program's host code.
struct RunProgram {
    static constexpr const char* word = "run_program";
    std::string file; // empty: the offered program
    auto fields() { return std::tie(file); }
};
// Runs the program with NVIDIA's runtime on the GPU, without counts and checks.
struct RunProgramOnGpu {
    static constexpr const char* word = "run_program_on_gpu";
    std::string file;
    auto fields() { return std::tie(file); }
};
struct StopProgram {
    static constexpr const char* word = "stop_program";
    auto fields() { return std::tie(); }
};
// Opens a launch of the program by index, with its memory.
struct OpenLaunch {
    static constexpr const char* word = "open_launch";
    int index = 0;
    auto fields() { return std::tie(index); }
};

// --- The program ---
struct Undo {
    static constexpr const char* word = "undo";
    auto fields() { return std::tie(); }
};
struct Redo {
    static constexpr const char* word = "redo";
    auto fields() { return std::tie(); }
};
struct Dismiss { // hides the error
    static constexpr const char* word = "dismiss";
    auto fields() { return std::tie(); }
};
// Saves the lab with all its sources as a folder; never overwrites.
struct SaveLab {
    static constexpr const char* word = "save_lab";
    std::string folder; // empty: an unused name
    auto fields() { return std::tie(folder); }
};
// Saves the edited kernel source.
struct SaveText {
    static constexpr const char* word = "save_text";
    std::string file; // empty: the file it was read from
    auto fields() { return std::tie(file); }
};
struct SaveSession {
    static constexpr const char* word = "save_session";
    std::string file; // never an existing file
    auto fields() { return std::tie(file); }
};
// Kinds of files that are written without changing the document.
enum class Taken : std::uint8_t {
    picture,
    window,
    exhibit,
    recording,
    window_recording,
    session,
    last = session
};
struct Take {
    static constexpr const char* word = "take";
    Taken what = Taken::picture;
    auto fields() { return std::tie(what); }
};
struct CancelFiles {
    static constexpr const char* word = "cancel_files";
    auto fields() { return std::tie(); }
};
struct Close {
    static constexpr const char* word = "close";
    auto fields() { return std::tie(); }
};

using Command =
    OneOf<ChooseVariant, SetValue, EditText, EditFile, SetRecordEntry, BeginVariant, RevertText,
          GoToVersion, CompareVersion, CompileNow, SetAutomaticCompiling, SetIncludeFolders,
          SetCareful, ChoosePreset, Paint, Pause, StepOnce, Restart, ChooseLab, ChooseEngine,
          OpenFile, SetView, SetMap, SetMapOf, SetMapBlend, SetMapScale, ShowSubject, ShowTree,
          ShowMemory, ShowRequest, Compare, ShowDifference, MoveDivider, Orbit, Zoom,
          ShowWholePicture, SetTheme, SetTextZoom, Lecture, AdvanceBeat, Blank, Vote, EndTalk,
          ShowCards, SizePanel, ShowTab, PlaceCode, WholeStrip, SetCapture, ChooseSweep, OpenLine,
          ShowHelp, ShowLog, SetFolder, StepMode, StepLaunch, ShowStepped, ToggleBreakpoint,
          ExplainElement, RunProgram, RunProgramOnGpu, StopProgram, OpenLaunch, Undo, Redo, Dismiss,
          SaveLab, SaveText, SaveSession, Take, CancelFiles, Close>;
using Commands = std::vector<Command>;

// Executes the command. Throws Error (no_such_thing, bad_usage) for a lab, variant, value or folder
// that does not exist, leaving the document unchanged. Undo and Redo are handled by Edits; commands
// that do not change the document have no effect here.
void apply(Document& document, const Command& command);

// Switches the document to a session that has been opened. Undo and redo restore their own
// document: Edits::arrive().
void arrive(Document& document, const Session& session, Wanted::Kind kind);

} // namespace lanescope::app
