// The key table, and looking up a key's rows in it.
#include "app/window/input/keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string>
#include <utility>

#include "app/document/editing.h"
#include "app/draw/scene/maps.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/lessons/talk.h"
#include "app/run/debug/debug_frame.h"
#include "app/window/editor/text/editing.h"
#include "app/window/input/focus.h"
#include "app/window/interaction/follow.h"
#include "app/window/interaction/stepping.h"
#include "app/window/plots/source_heat.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

constexpr float zoom_step = 1.1F;
constexpr float divider_step = 0.02F;
constexpr float code_step = 0.02F;

void vote(const Press& at, bool withdrawn, Commands& out)
{
    out.push_back(Vote{static_cast<std::size_t>(at.number) - 1, withdrawn});
}

void choose_variant(const Press& at, Commands& out)
{
    const auto all = at.document.lab().rungs();
    const auto place = static_cast<std::size_t>(at.number) - 1;
    if (place < all.size()) out.push_back(ChooseVariant{all[place]->id});
}

// Toggles between the buggy variant and its fix.
void fix(const Press& at, Commands& out)
{
    const labs::Lab& lab = at.document.lab();
    if (const auto* other = lab.counterpart(labs::find_variant(lab, at.document.variant)))
        out.push_back(ChooseVariant{other->id});
}

void compare_with(const Press& at, Commands& out)
{
    const auto all = at.document.lab().rungs();
    const auto place = static_cast<std::size_t>(at.number) - 1;
    if (place < all.size()) out.push_back(Compare{all[place]->id});
}

// Toggles A/B: with the next rung or, from the lab's opening variant, with the variant that the lab
// names for it.
void toggle_comparison(const Press& at, Commands& out)
{
    const labs::Lab& lab = at.document.lab();
    const auto& all = lab.variants;
    if (!at.document.look.compare.empty()) {
        out.push_back(Compare{});
    } else if (!lab.opens.against.empty() && at.document.variant == lab.opening_variant().id) {
        out.push_back(Compare{lab.opens.against});
    } else if (all.size() > 1) {
        const auto now = std::ranges::find(all, at.document.variant, &labs::Variant::id);
        const bool last = now == all.end() || now + 1 == all.end();
        out.push_back(Compare{last ? all.front().id : (now + 1)->id});
    }
}

void next_lab(const Press& at, Commands& out, int by)
{
    const auto all = labs::listed();
    const auto now =
        std::ranges::find(all, at.document.lab().origin(), &labs::Lab::place) - all.begin();
    const auto count = std::ssize(all);
    out.push_back(ChooseLab{all[static_cast<std::size_t>((now + by + count) % count)]->place, {}});
}

void next_preset(const Press& at, Commands& out, int by)
{
    const auto count = std::ssize(at.document.lab().presets);
    if (count == 0) return;
    const auto chosen = at.document.preset;
    const auto next = chosen ? static_cast<std::ptrdiff_t>(*chosen) + by : 0;
    out.push_back(
        ChoosePreset{static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1))});
}

template <class Texts>
std::string after(const Texts& texts, const std::string& text)
{
    const auto now = std::ranges::find(texts, text);
    return now == texts.end() || now + 1 == texts.end() ? texts.front() : *(now + 1);
}

// Shows the next heatmap on the picture; the first is the lab's own, where it can be drawn.
void next_map(const Press& at, Commands& out, int by)
{
    const auto& known = at.frame.of(at.document.variant).totals;
    const trace::Totals* const totals = known ? &*known : nullptr;
    const Look& look = at.document.look;
    const std::string& own = at.document.lab().opens.first_map;
    const bool begins = look.map == "off" && by > 0 && !own.empty() &&
                        map_problem(at.frame.a, own, totals, look.map_of).empty();
    if (look.subject != Subject::picture) {
        out.push_back(ShowSubject{Subject::picture});
        if (look.map != "off") return;
    }
    out.push_back(SetMap{begins ? own : map_after(at.frame.a, totals, look.map, by, look.map_of)});
}

// Toggles between the result and the lab's opening view.
void show_result(const Press& at, Commands& out)
{
    Look own = at.document.look;
    open_on_subject(own, at.document.lab());
    const Look& look = at.document.look;
    const bool shows_result = look.subject == Subject::picture && look.map == "off";
    if (!shows_result) {
        out.push_back(ShowSubject{Subject::picture});
        if (look.map != "off") out.push_back(SetMap{"off"});
        return;
    }
    out.push_back(SetView{own.view});
    out.push_back(ShowSubject{own.subject});
    if (own.map != "off") out.push_back(SetMap{own.map});
}

void next_scope(const Press& at, Commands& out)
{
    const auto& totals = at.frame.of(at.document.variant).totals;
    const Look& look = at.document.look;
    out.push_back(SetMapOf{scope_after(totals ? &*totals : nullptr, look.map, look.map_of)});
}

// Opens the tab, or closes it if it is visible. Projector mode has no strip: there the tab replaces
// the picture.
void show_tab(const Press& at, Commands& out, const char* tab)
{
    const Look& look = at.document.look;
    const PanelSizes& panels = look.panels;
    const bool visible = panels.bottom > 0 && (!look.lecture || panels.whole);
    const bool closes = visible && panels.bottom_tab == tab;
    out.push_back(ShowTab{closes ? "" : tab});
    if (look.lecture && !closes) out.push_back(WholeStrip{true});
}

// Cycles the code's place: in the strip, right of the picture, left of it.
void next_place_of_code(const Press& at, Commands& out)
{
    CodeChoice choice = at.document.look.code;
    choice.place = choice.place == CodePlace::strip   ? CodePlace::right
                   : choice.place == CodePlace::right ? CodePlace::left
                                                      : CodePlace::strip;
    out.push_back(PlaceCode{choice});
}

void show_code(const Press& at, Commands& out)
{
    CodeChoice choice = at.document.look.code;
    if (!choice.beside()) return show_tab(at, out, tabs::source);
    choice.place = CodePlace::strip;
    out.push_back(PlaceCode{choice});
}

void next_heat_metric(const Press& at, Commands& out)
{
    const auto metrics = line_metrics();
    CodeChoice choice = at.document.look.code;
    auto now = std::ranges::find(metrics, std::string_view(choice.heat), &LineMetric::id);
    if (now != metrics.end()) ++now;
    choice.heat = now == metrics.end() ? metrics.front().id : now->id;
    out.push_back(PlaceCode{choice});
}

// Toggles A/B with the previous version.
void compare_with_version(const Press& at, Commands& out)
{
    if (!at.document.look.compare.empty()) return out.push_back(Compare{});
    const Workbench& bench = at.document.bench;
    const Version* const shown = shown_version(at.document);
    const Version* const before = shown ? bench.before(*shown) : nullptr;
    if (before) out.push_back(CompareVersion{before->variant, before->number});
}

// Edits the code where it is shown, or beside the picture if it is hidden.
void edit_code(const Press& at, Commands& out)
{
    CodeState& state = at.ui.code;
    if (state.editing) {
        state.editing = false;
        return;
    }
    const Look& look = at.document.look;
    if (!look.code_is_beside() && !shows_tab(look, tabs::source)) {
        CodeChoice choice = look.code;
        choice.place = CodePlace::right;
        out.push_back(PlaceCode{choice});
    }
    if (at.ui.panel > 0) go_to_picture(at.ui);
    begin_editing(state, at.document);
}

void find_in_code(const Press& at, Commands& out)
{
    const Look& look = at.document.look;
    if (!look.code_is_beside() && !shows_tab(look, tabs::source)) {
        if (look.lecture)
            next_place_of_code(at, out);
        else
            out.push_back(ShowTab{"source"});
    }
    at.ui.code.finding = true;
}

// Resizes a panel or, while the code is beside the picture and side panels are folded, the code.
void resize(const Press& at, Commands& out, const char* panel, float by)
{
    const PanelSizes& panels = at.document.look.panels;
    const std::string name = panel;
    if (at.document.look.code.beside() && name != "bottom") {
        CodeChoice choice = at.document.look.code;
        choice.share += (choice.place == CodePlace::left ? -by : by) * code_step;
        return out.push_back(PlaceCode{choice});
    }
    if (at.document.look.lecture)
        throw Error(ExitStatus::bad_usage, "Projector mode has no panels to resize.",
                    "Press F to leave it.");
    const float now = name == "left" ? panels.left : name == "right" ? panels.right : panels.bottom;
    out.push_back(SizePanel{name, now + by});
}

void zoom(const Press& at, Commands& out, float factor)
{
    if (at.ui.placement) {
        render::PanZoom to = at.document.look.pan_zoom;
        to.zoom_at(to.centre, static_cast<double>(factor));
        out.push_back(Zoom{to});
    } else {
        render::Camera camera = at.document.look.camera;
        camera.zoom(1 / factor);
        out.push_back(Orbit{camera});
    }
}

void move(const Press& at, Commands& out, const Move& by)
{
    if (!at.frame.is_open()) return;
    const Look& look = at.document.look;
    shown_subject(look, at.document.lab())
        .move({look, at.frame.a, nullptr, at.ui.placement.has_value()}, by, out);
}

void paint(const Press& at, Commands& out, bool erase)
{
    if (at.ui.close_question_open && !erase) return out.push_back(Close{});
    if (!at.ui.placement || at.document.look.subject != Subject::picture) return;
    const render::PanZoom& seen = at.document.look.pan_zoom;
    out.push_back(Paint{{seen.centre.x, seen.centre.y, usual_brush / seen.zoom, erase}});
}

using StepKind = StepMove::Kind;

void step(const Press& at, Commands& out, StepKind kind, bool back)
{
    move_stepped(at.document, at.ui, {.kind = kind, .back = back}, out);
}

void show_stepped(const Press& at, Commands& out, void (*change)(StepChoice&))
{
    StepChoice choice = at.document.look.step;
    change(choice);
    out.push_back(ShowStepped{choice});
}

void other_lanes(const Press& at, Commands& out, int by)
{
    StepChoice choice = at.document.look.step;
    choice.lane += by;
    out.push_back(ShowStepped{choice});
}

// Toggles the picture's page, where a click asks why an element has its value.
void step_to_picture(const Press& at, Commands& out)
{
    using Page = StepChoice::Page;
    show_stepped(at, out, [](StepChoice& choice) {
        choice.page = choice.page == Page::picture ? Page::launch : Page::picture;
    });
}

void breakpoint_here(const Press& at, Commands& out)
{
    const DebugFrame* const frame = at.ui.stepped.frame.get();
    if (!frame || frame->shown >= std::ssize(frame->warps)) return;
    const auto& paths = frame->warps[static_cast<std::size_t>(frame->shown)].paths;
    if (paths.empty()) return;
    if (const int line = breakpoint_line(*frame, paths.front().in_source().line); line > 0)
        out.push_back(ToggleBreakpoint{line});
}

void to_last_write(const Press& at, Commands& out)
{
    if (at.ui.step_pointed.empty()) return;
    StepMove move{.kind = StepKind::last_write, .back = true, .count = 1, .warp = {}};
    move.text = at.ui.step_pointed;
    move.lane = at.ui.step_lane;
    if (move.lane < 0 && at.ui.stepped.frame)
        move.lane = std::countr_zero(std::max(at.ui.stepped.frame->mask, 1U));
    move_stepped(at.document, at.ui, std::move(move), out);
}

// Esc closes the topmost overlay; it never quits. In any case it also returns the focus from panels
// to the picture.
void leave(const Press& at, Commands& out)
{
    const bool was_in_panel = at.ui.panel > 0;
    if (was_in_panel) go_to_picture(at.ui);
    if (at.ui.close_question_open)
        at.ui.close_question_open = false;
    else if (at.ui.save_as.open())
        at.ui.save_as.close();
    else if (at.ui.files.open())
        at.ui.files.close();
    else if (at.ui.go_to.open())
        at.ui.go_to.close();
    else if (at.ui.settings)
        at.ui.settings = false;
    else if (at.ui.code.finding)
        at.ui.code.finding = false;
    else if (at.ui.code.editing)
        at.ui.code.editing = false;
    else if (at.document.help)
        out.push_back(ShowHelp{false});
    else if (at.document.log_open)
        out.push_back(ShowLog{false});
    else if (at.document.log.error())
        out.push_back(Dismiss{});
    else if (was_in_panel)
        return;
    else if (at.document.presentation.blank)
        out.push_back(Blank{false});
    else if (at.document.presentation.card)
        out.push_back(ShowCards{false, 0});
    else if (at.ui.drawer)
        at.ui.drawer = false;
    else if (at.document.look.panels.whole)
        out.push_back(WholeStrip{false});
    else if (at.document.look.step.on && at.document.look.step.page != StepChoice::Page::launch)
        show_stepped(at, out, [](StepChoice& choice) { choice.page = StepChoice::Page::launch; });
    else if (at.document.look.step.on)
        out.push_back(StepMode{false});
    else if (at.document.look.lecture)
        out.push_back(Lecture{false});
}

using At = const Press&;
using Out = Commands&;

constexpr const char* digits = "1 2 3 4 5 6 7 8 9 0";
constexpr const char* shift_digits =
    "Shift+1 Shift+2 Shift+3 Shift+4 Shift+5 Shift+6 Shift+7 Shift+8 Shift+9 Shift+0";

// clang-format off
constexpr KeyRow table[] = {
    {"variant", digits, false, "1 – 9, 0", "choose a variant; 0 is the tenth", choose_variant},
    {"fix", "G", false, "G", "from a bug to its fix, and back", fix},
    {"next_beat", "PageDown", false, "PageDown, PageUp", "lesson or lecture: next, previous beat (a clicker's keys)",
     [](At, Out out) { out.push_back(AdvanceBeat{1}); }},
    {"previous_beat", "PageUp", false, "", "", [](At, Out out) { out.push_back(AdvanceBeat{-1}); }},
    {"answer", "A B C D", false, "A – D, Shift A – D", "add a vote to an open question; remove one",
     [](At at, Out out) { vote(at, false, out); }},
    {"answer_less", "Shift+A Shift+B Shift+C Shift+D", false, "", "",
     [](At at, Out out) { vote(at, true, out); }},
    {"blank", ". B", false, "., B", "projector mode: blank the screen (B: only in a talk)",
     [](At at, Out out) { out.push_back(Blank{!at.document.presentation.blank}); }},
    {"cards", "K", false, "K", "check the slide: its claims and the counts",
     [](At at, Out out) { out.push_back(ShowCards{!at.document.presentation.card, 0}); }},
    {"end_talk", "Shift+L", false, "Shift L", "end the lesson or lecture",
     [](At, Out out) { out.push_back(EndTalk{}); }},
    {"next_preset", "N", false, "N, Shift N", "next, previous preset",
     [](At at, Out out) { next_preset(at, out, 1); }},
    {"previous_preset", "Shift+N", false, "", "", [](At at, Out out) { next_preset(at, out, -1); }},
    {"next_lab", "Ctrl+PageDown", false, "Ctrl PageDown, PageUp", "next, previous lab",
     [](At at, Out out) { next_lab(at, out, 1); }},
    {"previous_lab", "Ctrl+PageUp", false, "", "", [](At at, Out out) { next_lab(at, out, -1); }},
    {"pause", "Space", false, "Space", "pause, continue",
     [](At at, Out out) { out.push_back(Pause{!at.document.paused}); }},
    {"step", ".", true, ".", "one step", [](At, Out out) { out.push_back(StepOnce{}); }},
    {"stepping", "I", false, "I", "stepping mode: through a launch, forwards and back (? lists its keys)",
     [](At at, Out out) { out.push_back(StepMode{!at.document.look.step.on}); }},
    {"step_line", "Right PageDown", true, "← →, Page, Shift ← →", "a source line (a clicker's keys), an instruction",
     [](At at, Out out) { step(at, out, StepKind::line, false); }},
    {"step_line_back", "Left PageUp", true, "", "", [](At at, Out out) { step(at, out, StepKind::line, true); }},
    {"step_instruction", "Shift+Right", true, "", "", [](At at, Out out) { step(at, out, StepKind::instruction, false); }},
    {"step_instruction_back", "Shift+Left", true, "", "", [](At at, Out out) { step(at, out, StepKind::instruction, true); }},
    {"step_barrier", "B", true, "B, End, X, Shift B, Home", "to the barrier, the block's end, a fault; back",
     [](At at, Out out) { step(at, out, StepKind::barrier, false); }},
    {"step_barrier_back", "Shift+B", true, "", "", [](At at, Out out) { step(at, out, StepKind::barrier, true); }},
    {"step_block", "End", true, "", "", [](At at, Out out) { step(at, out, StepKind::block, false); }},
    {"step_block_back", "Home", true, "", "", [](At at, Out out) { step(at, out, StepKind::block, true); }},
    {"step_fault", "X", false, "", "", [](At at, Out out) { step(at, out, StepKind::fault, false); }},
    {"step_resume", "Space", false, "Space, Shift Space, K", "to a breakpoint, back to one; set or clear one here",
     [](At at, Out out) { step(at, out, StepKind::resume, false); }},
    {"step_resume_back", "Shift+Space", false, "", "", [](At at, Out out) { step(at, out, StepKind::resume, true); }},
    {"step_breakpoint", "K", false, "", "", breakpoint_here},
    {"step_down", "Down", true, "↑ ↓, Shift ↑ ↓", "another warp, other lanes",
     [](At at, Out out) { choose_stepped(at.document, at.ui, 1, out); }},
    {"step_up", "Up", true, "", "", [](At at, Out out) { choose_stepped(at.document, at.ui, -1, out); }},
    {"step_lanes", "Shift+Down", true, "", "", [](At at, Out out) { other_lanes(at, out, 8); }},
    {"step_lanes_back", "Shift+Up", true, "", "", [](At at, Out out) { other_lanes(at, out, -8); }},
    {"step_last_write", "W", false, "W, O", "back to the last write of what the mouse points at; as written, optimised", to_last_write},
    {"step_text", "O", false, "", "",
     [](At at, Out out) { show_stepped(at, out, [](StepChoice& choice) { choice.optimised = !choice.optimised; }); }},
    {"step_ptx", "Shift+P", false, "Shift P, G", "PTX beside the source; go to a block, warp, line, instruction or condition",
     [](At at, Out out) { show_stepped(at, out, [](StepChoice& choice) { choice.ptx = !choice.ptx; }); }},
    {"step_go_to", "G", false, "", "", [](At at, Out) { at.ui.go_to.begin(); }},
    {"step_picture", "P", false, "P, Enter", "the picture: click an element to see where its value came from; go there", step_to_picture},
    {"step_go", "Enter", false, "", "", [](At at, Out out) { go_to_node(at.document, at.ui, out); }},
    {"restart", "Home Backspace", false, "Home, Backspace", "restart",
     [](At, Out out) { out.push_back(Restart{}); }},
    {"undo", "Ctrl+Z", true, "Ctrl Z, Ctrl Shift Z or Y", "undo, redo",
     [](At, Out out) { out.push_back(Undo{}); }},
    {"redo", "Ctrl+Shift+Z Ctrl+Y", true, "", "", [](At, Out out) { out.push_back(Redo{}); }},
    {"view", "V", false, "V", "next view",
     [](At at, Out out) { out.push_back(SetView{after(at.document.lab().views, at.document.look.view)}); }},
    {"map", "H", false, "H, Shift H, Shift M", "next, previous heatmap; access filter: all, loads, stores, atomics",
     [](At at, Out out) { next_map(at, out, 1); }},
    {"previous_map", "Shift+H", false, "", "", [](At at, Out out) { next_map(at, out, -1); }},
    {"map_of", "Shift+M", false, "", "", next_scope},
    {"subject", "M", false, "M, P", "next of picture, memory, one request …; show the result, and back",
     [](At at, Out out) { out.push_back(ShowSubject{subject_after(at.document.look.subject)}); }},
    {"result", "P", false, "", "", show_result},
    {"nearer", "+ =", true, "Arrows, +, −, Z", "rotate or pan the picture, zoom in, out, fit",
     [](At at, Out out) { zoom(at, out, zoom_step); }},
    {"farther", "-", true, "", "", [](At at, Out out) { zoom(at, out, 1 / zoom_step); }},
    {"whole_picture", "Z", false, "", "", [](At, Out out) { out.push_back(ShowWholePicture{}); }},
    {"left", "Left", true, "Arrows, Shift ← →", "after M: move in memory; choose a warp, site or request",
     [](At at, Out out) { move(at, out, {.right = -1}); }},
    {"right", "Right", true, "", "", [](At at, Out out) { move(at, out, {.right = 1}); }},
    {"up", "Up", true, "", "", [](At at, Out out) { move(at, out, {.up = 1}); }},
    {"down", "Down", true, "", "", [](At at, Out out) { move(at, out, {.up = -1}); }},
    {"previous_request", "Shift+Left", true, "", "", [](At at, Out out) { move(at, out, {.request = -1}); }},
    {"next_request", "Shift+Right", true, "", "", [](At at, Out out) { move(at, out, {.request = 1}); }},
    {"paint", "Enter", true, "Enter, Delete", "paint, erase at the centre of the picture",
     [](At at, Out out) { paint(at, out, false); }},
    {"erase", "Delete", true, "", "", [](At at, Out out) { paint(at, out, true); }},
    {"compare", "A", false, "A, Shift 1 – 9, D", "A/B: compare with a variant, which one, difference",
     toggle_comparison},
    {"compare_with", shift_digits, false, "", "", compare_with},
    {"difference", "D", false, "", "", [](At at, Out out) { out.push_back(ShowDifference{!at.document.look.difference}); }},
    {"divider_left", "[", true, "[, ]", "move the A/B divider",
     [](At at, Out out) { out.push_back(MoveDivider{at.document.look.swipe - divider_step}); }},
    {"divider_right", "]", true, "", "",
     [](At at, Out out) { out.push_back(MoveDivider{at.document.look.swipe + divider_step}); }},
    {"timings", "B Shift+B", false, "B, Y, W, O", "variants as bars (in a projected talk: Shift B), history, sweep, roofline",
     [](At at, Out out) { show_tab(at, out, tabs::variants); }},
    {"history", "Y", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::history); }},
    {"sweep", "W", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::sweep); }},
    {"roofline", "O", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::roofline); }},
    {"source", "C", false, "C, L, Shift O", "source with counts, lesson, printed output", show_code},
    {"lesson", "L", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::lesson); }},
    {"output", "Shift+O", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::output); }},
    {"code_beside", "Shift+C", false, "Shift C, Ctrl H, Ctrl F", "source beside the picture; what its gutter shows; find",
     next_place_of_code},
    {"code_heat", "Ctrl+H", false, "", "", next_heat_metric},
    {"find", "Ctrl+F", false, "", "", find_in_code},
    {"edit", "Ctrl+E", false, "Ctrl E, Ctrl Enter, F8", "edit the source (Esc: done), compile it now, next error", edit_code},
    {"compile", "Ctrl+Enter", false, "", "", [](At, Out out) { out.push_back(CompileNow{}); }},
    {"next_complaint", "F8", false, "", "", [](At at, Out) { go_to_complaint(at.document, at.ui.code); }},
    {"back", "Ctrl+B", false, "Ctrl B, Shift A, Shift V", "edited kernel: previous version, A/B with it, all versions",
     [](At, Out out) { out.push_back(GoToVersion{}); }},
    {"compare_version", "Shift+A", false, "", "", compare_with_version},
    {"versions", "Shift+V", false, "", "", [](At at, Out out) { show_tab(at, out, tabs::versions); }},
    {"whole_strip", "X", false, "X", "maximise the bottom panel, or restore it",
     [](At at, Out out) { out.push_back(WholeStrip{!at.document.look.panels.whole}); }},
    {"program", "U", false, "U, Ctrl R", "the program's launches; run the whole program",
     [](At at, Out out) { show_tab(at, out, tabs::program); }},
    {"run_program", "Ctrl+R", false, "", "", [](At, Out out) { out.push_back(RunProgram{}); }},
    {"export", "E", false, "E", "export this tab, or the picture, as figures and tables",
     [](At, Out out) { out.push_back(Take{Taken::exhibit}); }},
    {"picture", "S", false, "S, Shift S", "picture, or the whole window, as a PNG",
     [](At, Out out) { out.push_back(Take{Taken::picture}); }},
    {"window_picture", "Shift+S", false, "", "", [](At, Out out) { out.push_back(Take{Taken::window}); }},
    {"record", "R", false, "R, Shift R", "record the picture, or the window; again: stop",
     [](At, Out out) { out.push_back(Take{Taken::recording}); }},
    {"record_window", "Shift+R", false, "", "", [](At, Out out) { out.push_back(Take{Taken::window_recording}); }},
    {"save", "Ctrl+S", false, "Ctrl S, Ctrl O", "save the kernel's file, or the session if it has no changes; open one",
     [](At at, Out out) { if (unsaved_text(at.document)) out.push_back(SaveText{}); else out.push_back(Take{Taken::session}); }},
    {"open", "Ctrl+O", false, "", "",
     [](At at, Out out) {
         out.push_back(ShowHelp{false});
         at.ui.save_as.close();
         at.ui.files.begin(at.document.folder);
     }},
    {"save_lab", "Ctrl+Shift+S", false, "Ctrl Shift S", "save the kernel, the session or the lab (a folder that others can open) under a name",
     [](At at, Out out) { out.push_back(ShowHelp{false}); at.ui.files.close(); at.ui.save_as.begin(at.document); }},
    {"cancel_video", "Shift+Esc", false, "Shift Esc", "cancel the video that is being written",
     [](At at, Out out) { if (at.ui.captures.finishing && !at.ui.captures.recording) out.push_back(CancelFiles{}); }},
    {"next_panel", "F6", false, "F6, Tab", "focus the panels, next control; Esc: back",
     [](At at, Out) { go_to_panel(at.ui, at.document, 1); }},
    {"previous_panel", "Shift+F6", false, "", "", [](At at, Out) { go_to_panel(at.ui, at.document, -1); }},
    {"wider", "Ctrl+Left", true, "Ctrl arrows", "resize the right panel and strip (Shift: left panel)",
     [](At at, Out out) { resize(at, out, "right", 1); }},
    {"narrower", "Ctrl+Right", true, "", "", [](At at, Out out) { resize(at, out, "right", -1); }},
    {"left_narrower", "Ctrl+Shift+Left", true, "", "", [](At at, Out out) { resize(at, out, "left", -1); }},
    {"left_wider", "Ctrl+Shift+Right", true, "", "", [](At at, Out out) { resize(at, out, "left", 1); }},
    {"higher", "Ctrl+Up", true, "", "", [](At at, Out out) { resize(at, out, "bottom", 1); }},
    {"lower", "Ctrl+Down", true, "", "", [](At at, Out out) { resize(at, out, "bottom", -1); }},
    {"lecture", "F", false, "F, F5", "lecture mode: the picture alone; F5 never leaves it",
     [](At at, Out out) { out.push_back(Lecture{!at.document.look.lecture}); }},
    {"give", "F5 Shift+F5", false, "", "", [](At, Out out) { out.push_back(Lecture{true}); }},
    {"theme", "T", false, "T", "dark, light",
     [](At at, Out out) { out.push_back(SetTheme{at.document.look.theme == Theme::dark}); }},
    {"text_larger", "Ctrl++ Ctrl+=", true, "Ctrl +, Ctrl −, Ctrl 0", "zoom text in, out, reset",
     [](At at, Out out) { out.push_back(SetTextZoom{at.document.look.text_zoom * zoom_step}); }},
    {"text_smaller", "Ctrl+-", true, "", "",
     [](At at, Out out) { out.push_back(SetTextZoom{at.document.look.text_zoom / zoom_step}); }},
    {"text_plain", "Ctrl+0", false, "", "", [](At, Out out) { out.push_back(SetTextZoom{1}); }},
    {"log", "Ctrl+L", false, "Ctrl L", "messages",
     [](At at, Out out) { out.push_back(ShowLog{!at.document.log_open}); }},
    {"help", "? F1", false, "?, F1, Ctrl P", "search actions and their keys, labs, presets, cards and lectures",
     [](At at, Out out) { out.push_back(ShowHelp{!at.document.help}); }},
    {"palette", "Ctrl+P", false, "", "", [](At at, Out out) { out.push_back(ShowHelp{!at.document.help}); }},
    {"settings", "Ctrl+,", false, "Ctrl ,", "settings: engine, pictures and videos, theme, text size",
     [](At at, Out out) { out.push_back(ShowHelp{false}); at.ui.settings = !at.ui.settings; }},
    {"leave", "Esc", false, "Esc, Ctrl Q", "close what is open; quit", leave},
    {"quit", "Ctrl+Q", false, "", "", [](At, Out out) { out.push_back(Close{}); }},
};
// clang-format on

// True for keys of the stepping mode.
bool is_step(std::string_view action)
{
    return action.starts_with("step_");
}

// The key table spells "↑" as "Up".
std::string_view key_named_in_prose(std::string_view key)
{
    constexpr std::pair<std::string_view, std::string_view> arrows[] = {
        {"←", "Left"}, {"→", "Right"}, {"↑", "Up"}, {"↓", "Down"}};
    for (const auto& [shown, name] : arrows)
        if (key == shown) return name;
    return key;
}

const std::string* users(const KeyRow& row, const std::map<std::string, std::string>& keys)
{
    const auto found = keys.find(row.action);
    return found == keys.end() ? nullptr : &found->second;
}

} // namespace

std::span<const KeyRow> key_table()
{
    return table;
}

std::vector<Pressed> rows_of(const KeyEvent& event, const std::map<std::string, std::string>& keys,
                             const Moment& moment)
{
    std::vector<Pressed> found;
    for (const KeyRow& row : table) {
        if (event.repeat && !row.repeats) continue;
        const std::string* const own = users(row, keys);
        const auto chords = parse_chords(own ? std::string_view(*own) : row.keys);
        const auto met =
            std::ranges::find_if(chords, [&](const Chord& chord) { return matches(chord, event); });
        if (met != chords.end())
            found.push_back({&row, static_cast<int>(met - chords.begin()) + 1});
    }
    // The stepping mode has its own keys, except that in a talk a clicker's keys keep their
    // meaning. A key that answers an open question or blanks the screen has no other meaning then.
    const auto only_those = [&](const auto& is_action, bool is_time) {
        const auto is_one = [&](const Pressed& pressed) {
            return is_action(std::string_view(pressed.row->action));
        };
        if (std::ranges::any_of(found, is_one))
            std::erase_if(found, [&](const Pressed& one) { return is_one(one) != is_time; });
    };
    const auto only = [&](std::initializer_list<std::string_view> actions, bool is_time) {
        only_those(
            [&](std::string_view one) { return std::ranges::find(actions, one) != actions.end(); },
            is_time);
    };
    if (moment.beat) only({"next_beat", "previous_beat"}, true);
    only_those(is_step, moment.stepping);
    only({"answer", "answer_less"}, moment.question);
    // Without a talk, the further chords (B) of blanking keep their other meaning.
    if (!moment.talk)
        std::erase_if(found, [](const Pressed& one) {
            return one.row->action == std::string_view("blank") && one.number > 1;
        });
    only({"blank"}, moment.lecture);
    return found;
}

std::vector<Pressed> rows_for_key(std::string_view key,
                                  const std::map<std::string, std::string>& keys,
                                  const Moment& moment)
{
    const auto chord = parse_chord(key_named_in_prose(key));
    if (!chord) return {};
    return rows_of({.key = chord->key,
                    .modifiers = chord->modifiers,
                    .label = chord->character,
                    .character = chord->character},
                   keys, moment);
}

std::vector<KeyHelp> key_help(const std::map<std::string, std::string>& keys, bool stepping)
{
    constexpr std::array<std::string_view, 8> always{"stepping", "code_beside", "lecture", "give",
                                                     "theme",    "picture",     "help",    "leave"};
    std::vector<KeyHelp> lines;
    bool shown = true;
    for (const KeyRow& row : table) {
        if (*row.words != '\0') {
            const bool steps = is_step(row.action);
            shown =
                stepping ? steps || std::ranges::find(always, row.action) != always.end() : !steps;
        }
        if (!shown) continue;
        const bool first = *row.words != '\0';
        if (first) lines.push_back({row.shown, row.words, &row});
        const std::string* const own = users(row, keys);
        if (!own) continue;
        std::string changed;
        std::string_view rest = *own;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            if (end > 0) changed += (changed.empty() ? "" : ", ") + words_of(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        // A row without help text shares the previous line, which then names its action.
        lines.back().keys =
            first ? changed : lines.back().keys + "; " + row.action + ": " + changed;
    }
    return lines;
}

} // namespace lanescope::app
