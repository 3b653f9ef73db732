// Descriptor of a subject, which is shown in the picture's place: the question it answers, the
// counts it needs, its drawing, its keys and its widgets. A new subject is a file here and a row in
// subject_table.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/document/commands.h"
#include "app/document/look/counting.h"
#include "app/document/look/look.h"
#include "app/draw/subjects/cost.h"
#include "app/run/frame/frame.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

struct SubjectDrawing; // subject_drawing.h
struct SubjectPaper;

// Movement by arrow keys; with Shift, left and right move between requests.
struct Move {
    int right = 0;
    int up = 0;
    int request = 0;
};

// State that keys and widgets act on.
struct SubjectView {
    const Look& look;
    const SideFrame& side;
    const trace::Totals* totals = nullptr; // for the current variant; null if nothing was counted
    bool flat = true;                      // the drawing can be panned; else it rotates
};

// A widget of the panel, as data; its effect is a command.
struct Control {
    enum class Kind : std::uint8_t { list, choice, number, toggle, slider, note };
    struct Option {
        std::string title{};
        bool chosen = false;
        Command command{};
        bool available = true;
    };
    Kind kind = Kind::note;
    std::string id{};    // unique in the panel
    std::string title{}; // label above the control or beside a toggle; text of a note
    std::string shown{}; // list: the selected entry
    std::size_t count = 0;
    std::function<Option(std::size_t)> option{}; // for a list or a choice
    double value = 0;                            // for a number, a slider (0 to 1) or a toggle
    double max = 0;                              // maximum of a number, whose minimum is 0
    std::function<Command(double)> changed{};
};
using Controls = std::vector<Control>;

Control note(std::string words);
Control number(std::string id, std::string title, std::int64_t value, std::int64_t max,
               std::function<Command(std::int64_t)> changed);
Control toggle(std::string title, bool on, std::function<Command(bool)> changed);
// The toggle "auto range" of a scale.
Control automatic_scale_toggle(const Look& look);

struct SubjectKind {
    const char* title; // shown in lists
    const char* question;
    // For a subject that is a view of the picture, the kind of view; empty if it is selected
    // directly.
    std::optional<labs::ViewKind> view_kind{};
    bool is_picture = false;   // may have a heatmap, and can be painted on
    bool needs_simt = false;   // drawn from data that only the lockstep machine records
    bool smooth_lines = false; // drawn with MSAA
    void (*count)(const Look&, Counting&);
    bool (*counted)(const SideFrame&, const Look&);
    // A subject has exactly one of these two. Both explain missing data in words.
    std::optional<render::Placement> (*draw)(SubjectDrawing) = nullptr;
    void (*paint)(const SubjectPaper&) = nullptr;
    // Names the part of the launch on screen: "block (0, 0, 0), warp 3 of 8"; empty if nothing is
    // shown.
    std::string (*where)(const SideFrame&, const Look&) = nullptr;
    bool captions_itself = false; // the drawing itself names that part
    // Null or empty: the subject has no cost. The cost of a picture is shown beside it, never over
    // it.
    std::optional<Cost> (*cost)(const SideFrame&, const Look&) = nullptr;
    void (*move)(const SubjectView&, const Move&, Commands&);
    void (*controls)(const SubjectView&, Controls&);
};

extern const SubjectKind picture_subject;
extern const SubjectKind memory_subject;
extern const SubjectKind request_subject;
extern const SubjectKind tree_subject;
extern const SubjectKind lines_subject;
extern const SubjectKind tiles_subject;

// All subjects that are selected directly, in the order of Subject.
std::span<const SubjectKind* const> subjects();
// The subject that the look shows for the lab.
const SubjectKind& shown_subject(const Look& look, const labs::Lab& lab);
// True if the panel beside the drawing shows the cost, as it does for a lab's result, unless the
// picture itself is about resource use.
bool hides_cost(const Look& look, const SideFrame& side);
// True if the lab opens with this subject.
bool opens_on(const labs::Lab& lab, const SubjectKind& kind);
Subject subject_after(Subject subject);

// ", recorded in step 1" if the recording is not of the step on screen (SideFrame); else empty.
std::string recorded_step_note(const SideFrame& side);

// True in lecture mode and in A/B, where the cost of the result (in A/B: its change) is drawn above
// the picture and must therefore be counted by site.
bool shows_cost_header(const Look& look);
// Other counts that the look needs.
Counting counting_for(const Look& look, const labs::Lab& lab);
// True if that has been counted.
bool has_subject(const SideFrame& side, const Look& look);

} // namespace lanescope::app
