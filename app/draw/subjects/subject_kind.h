// A subject is what stands in the picture's place, described once: the question it answers, what it
// needs counted, how it is drawn, and its keys and widgets. A new one is a file here and its row in
// subject_table.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/document/commands.h"
#include "app/document/counting.h"
#include "app/document/look.h"
#include "app/draw/subjects/cost.h"
#include "app/run/frame.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

struct SubjectDrawing; // subject_drawing.h
struct SubjectPaper;

// What an arrow key asks for; with Shift, left and right go from one request to the next.
struct Move {
    int right = 0;
    int up = 0;
    int request = 0;
};

// What keys and widgets act on.
struct SubjectView {
    const Look& look;
    const SideFrame& side;
    const trace::Totals* totals = nullptr; // of the shown variant; null: nothing was counted
    bool flat = true;                      // what is drawn can be moved; else it is turned
};

// A widget of the panel, as data. What is changed by it is a command.
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
    std::string title{}; // the line above it; of a toggle beside it; the words of a note
    std::string shown{}; // of a list: what is chosen
    std::size_t count = 0;
    std::function<Option(std::size_t)> option{}; // of a list or a choice
    double value = 0;                            // of a number, a slider (0 to 1) or a toggle
    double most = 0;                             // of a number, which begins at 0
    std::function<Command(double)> changed{};
};
using Controls = std::vector<Control>;

Control note(std::string words);
Control number(std::string id, std::string title, std::int64_t value, std::int64_t most,
               std::function<Command(std::int64_t)> changed);
Control toggle(std::string title, bool on, std::function<Command(bool)> changed);
// "auto range", of a scale.
Control automatic_scale_toggle(const Look& look);

struct SubjectKind {
    const char* title; // in lists
    const char* question;
    // Of a subject that is a view of the picture: the view's kind. None: it is chosen by itself.
    std::optional<labs::ViewKind> view_kind{};
    bool is_picture = false;   // it can have a heatmap, and be painted on
    bool of_simt = false;      // the lockstep machine alone sees what it is drawn from
    bool smooth_lines = false; // drawn into several samples
    void (*count)(const Look&, Counting&);
    bool (*counted)(const SideFrame&, const Look&);
    // One of the two; what is not there is said in words.
    std::optional<render::Placement> (*draw)(SubjectDrawing) = nullptr;
    void (*paint)(const SubjectPaper&) = nullptr;
    // Of what is painted: "block (0, 0, 0), warp 3 of 8"; empty: nothing yet.
    std::string (*where)(const SideFrame&, const Look&) = nullptr;
    bool captions_itself = false; // what is painted says it itself
    // Null, or nothing: it has no cost of its own. That of a picture stands beside it alone.
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

// All that are chosen by themselves, in the order of Subject.
std::span<const SubjectKind* const> subjects();
// What the look shows of the lab.
const SubjectKind& shown_subject(const Look& look, const labs::Lab& lab);
// Whether it stands without its cost, which is told beside it: a result does, unless the picture
// itself is of what is used.
bool hides_cost(const Look& look, const SideFrame& side);
// Whether the lab is opened on it.
bool opens_on(const labs::Lab& lab, const SubjectKind& kind);
Subject subject_after(Subject subject);

// ", recorded in step 1", where what was recorded is not of the shown step (SideFrame); else
// nothing.
std::string recorded_step_note(const SideFrame& side);

// Whether what the result costs stands over it, so that it must be counted by site: in the lecture
// mode, and as a change over both of A/B.
bool shows_cost_header(const Look& look);
// What the look needs counted, without that.
Counting counting_for(const Look& look, const labs::Lab& lab);
// Whether that has been.
bool has_subject(const SideFrame& side, const Look& look);

} // namespace lanescope::app
