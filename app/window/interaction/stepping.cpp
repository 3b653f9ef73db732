// The document alone determines the debugger's commands, so undo, sessions and scripts lead to the
// same state.
#include "app/window/interaction/stepping.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/run/debug/debug_frame.h"
#include "app/run/debug/why_tree.h"
#include "render/context/window.h"

namespace lanescope::app {

Stepping::Stepping() : actor_([] { render::Window::wake_up(); }) {}

void Stepping::open(const SideFrame& side, const StepChoice& step)
{
    actor_.open(debug_start(side, step));
    breakpoints_.clear();
    warp_ = -1;
    if (step.launch > 0)
        actor_.move({.kind = StepMove::Kind::launch, .back = false, .count = step.launch});
    if (step.position == 0 && step.to_line > 0) actor_.move(first_of_line(step));
    if (step.position > 0)
        actor_.move({.kind = StepMove::Kind::position, .back = false, .count = step.position});
}

void Stepping::follow(Edits& edits, const Frame& frame, bool opening)
{
    const StepChoice& step = edits.document().look.step;
    if (!step.on) {
        if (of_) actor_.close();
        of_.reset();
        shown_ = {};
        return;
    }
    if (opening || !frame.is_open() || frame.a.replay.in_progress ||
        frame.a.variant->id != edits.document().variant)
        return;
    const Of now{frame.opened,           frame.a.variant->id, frame.a.launches,
                 frame.a.events->size(), step.optimised,      step.to_line};
    if (of_ != now) {
        of_ = now;
        open(frame.a, step);
    }
    if (breakpoints_ != step.breakpoints) {
        breakpoints_ = step.breakpoints;
        std::vector<Breakpoint> all;
        for (const int line : breakpoints_) all.push_back({line, {}, {}, {}});
        actor_.set_breakpoints(std::move(all));
    }
    if (warp_ != step.warp) {
        warp_ = step.warp;
        actor_.show_warp(warp_ < 0 ? std::nullopt : std::optional(warp_));
    }
    shown_ = {actor_.frame(), actor_.answer()};
    if (shown_.frame && shown_.frame->problem.empty())
        edits.note_stepped(static_cast<std::int64_t>(shown_.frame->launch),
                           static_cast<std::int64_t>(shown_.frame->position));
}

bool started_by_beat(const Document& document)
{
    return document.look.step.on && document.look.step.to_line > 0 && document.presentation.now();
}

int breakpoint_line(const DebugFrame& frame, int line)
{
    if (!frame.code_lines) return 0;
    const auto next = std::ranges::lower_bound(*frame.code_lines, line);
    return next == frame.code_lines->end() ? 0 : *next;
}

void move_stepped(const Document& document, const Interaction& ui, StepMove move, Commands& out)
{
    using Kind = StepMove::Kind;
    StepChoice choice = document.look.step;
    if (choice.page != StepChoice::Page::launch) {
        choice.page = StepChoice::Page::launch;
        out.push_back(ShowStepped{choice});
    }
    const DebugFrame* const frame = ui.stepped.frame.get();
    const bool single = move.kind == Kind::line || move.kind == Kind::instruction;
    if (single && frame) move = move_of_warp(move, *frame, choice.warp);
    out.push_back(StepLaunch{std::move(move)});
}

void choose_stepped(const Document& document, const Interaction& ui, int by, Commands& out)
{
    StepChoice choice = document.look.step;
    if (choice.page == StepChoice::Page::why) {
        if (!ui.stepped.why) return;
        const auto count = static_cast<int>(nodes_in_order(*ui.stepped.why).size());
        choice.node = std::clamp(choice.node + by, 0, std::max(count - 1, 0));
    } else if (const DebugFrame* const frame = ui.stepped.frame.get();
               frame && !frame->warps.empty()) {
        choice.warp =
            std::clamp(frame->shown + by, 0, static_cast<int>(std::ssize(frame->warps)) - 1);
    }
    out.push_back(ShowStepped{choice});
}

void go_to_node(const Document& document, const Interaction& ui, Commands& out)
{
    StepChoice choice = document.look.step;
    if (choice.page != StepChoice::Page::why || !ui.stepped.why) return;
    const std::vector<int> order = nodes_in_order(*ui.stepped.why);
    if (choice.node >= std::ssize(order)) return;
    const WhyNode& node =
        ui.stepped.why
            ->nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(choice.node)])];
    if (!node.can_go) return;
    using Kind = StepMove::Kind;
    if (!ui.stepped.frame || ui.stepped.frame->launch != node.launch)
        out.push_back(StepLaunch{{.kind = Kind::launch,
                                  .back = false,
                                  .count = static_cast<std::int64_t>(node.launch)}});
    out.push_back(StepLaunch{{.kind = Kind::position,
                              .back = false,
                              .count = static_cast<std::int64_t>(node.position)}});
    choice.page = StepChoice::Page::launch;
    choice.warp = -1;
    choice.lane = node.lane;
    out.push_back(ShowStepped{choice});
}

namespace {

using What = render::SteppingHit::What;

bool inside(const render::Box& box, ImVec2 at)
{
    return at.x >= box.x && at.x < box.right() && at.y >= box.y && at.y < box.bottom();
}

// "tile[3][4]", for a word of a shared array.
std::string word_name(const render::SteppedArray& array, int word)
{
    if (array.columns < std::ssize(array.values))
        return fmt::format("{}[{}][{}]", array.name, word / array.columns, word % array.columns);
    return fmt::format("{}[{}]", array.name, word);
}

void point_at(const render::SteppingHit& hit, const render::SteppingView& view, Interaction& ui)
{
    const auto index = static_cast<std::size_t>(hit.index);
    switch (hit.what) {
    case What::gutter:
        ui.hover = fmt::format("line {}: set or clear a breakpoint", hit.index);
        break;
    case What::line:
        ui.hover = fmt::format("run to line {}; with Shift: back to it", hit.index);
        break;
    case What::value:
        if (index >= view.rows.size()) break;
        ui.step_pointed = view.rows[index].name;
        ui.step_lane = hit.lane;
        ui.hover =
            fmt::format("{} in lane {}: {}\nW: go back to where it was written", ui.step_pointed,
                        hit.lane, view.rows[index].lanes[static_cast<std::size_t>(hit.lane)]);
        break;
    case What::word:
        if (index >= view.arrays.size()) break;
        ui.step_pointed = word_name(view.arrays[index], hit.lane);
        ui.step_lane = -1;
        ui.hover = fmt::format("{} is {}\nW: go back to where it was written", ui.step_pointed,
                               view.arrays[index].values[static_cast<std::size_t>(hit.lane)]);
        break;
    case What::warp:
        if (index < view.warps.size())
            ui.hover = fmt::format("warp {}: {}", hit.index, view.warps[index].words);
        break;
    case What::lane:
    case What::bar: break;
    }
}

void click(const render::SteppingHit& hit, const Document& document, const DebugFrame& frame,
           const Interaction& ui, Commands& out)
{
    StepChoice choice = document.look.step;
    switch (hit.what) {
    case What::gutter:
        if (const int line = breakpoint_line(frame, hit.index); line > 0)
            out.push_back(ToggleBreakpoint{line});
        break;
    case What::line:
        if (const int line = breakpoint_line(frame, hit.index); line > 0)
            move_stepped(
                document, ui,
                {.kind = StepMove::Kind::to_line, .back = ImGui::GetIO().KeyShift, .count = line},
                out);
        break;
    case What::value:
    case What::lane:
        choice.lane = std::max(hit.lane, 0);
        out.push_back(ShowStepped{choice});
        break;
    case What::warp:
        choice.warp = hit.index;
        out.push_back(ShowStepped{choice});
        break;
    case What::word:
    case What::bar: break;
    }
}

// Dragging along the bar goes to a point in the recorded execution, or to its end.
void drag_bar(const render::Box& box, float x, const DebugFrame& frame, Commands& out)
{
    const double share = std::clamp(static_cast<double>((x - box.x) / box.width), 0.0, 1.0);
    const double all = static_cast<double>(frame.known) * (frame.complete ? 1 : 2);
    const auto to =
        std::min<std::int64_t>(std::llround(share * all), static_cast<std::int64_t>(frame.known));
    if (to != static_cast<std::int64_t>(frame.position))
        out.push_back(StepLaunch{{.kind = StepMove::Kind::position, .back = false, .count = to}});
}

} // namespace

void handle_mouse_in_stepping(const Area& area, const Document& document, Interaction& ui,
                              Commands& out)
{
    ui.step_pointed.clear();
    const ImGuiIO& io = ImGui::GetIO();
    const StepChoice& choice = document.look.step;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) ui.step_bar_held = false;
    if (!covers_picture(choice) || io.WantCaptureMouse || !area.contains(io.MousePos)) return;
    const ImVec2 at{(io.MousePos.x - area.at.x) * ui.pixels_per_point,
                    (io.MousePos.y - area.at.y) * ui.pixels_per_point};
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (choice.page == StepChoice::Page::why) {
        if (io.MouseWheel != 0) choose_stepped(document, ui, io.MouseWheel > 0 ? -1 : 1, out);
        for (const render::SliceHit& hit : ui.step_hits.why) {
            if (!clicked || !inside(hit.box, at)) continue;
            StepChoice chosen = choice;
            chosen.node = hit.index;
            out.push_back(ShowStepped{chosen});
            if (choice.node != hit.index) return;
            go_to_node(document, ui, out); // the second click on a line
        }
        return;
    }
    const DebugFrame* const frame = ui.stepped.frame.get();
    if (!frame || !frame->problem.empty()) return;
    if (io.MouseWheel != 0)
        move_stepped(document, ui, {.kind = StepMove::Kind::line, .back = io.MouseWheel > 0}, out);
    for (const render::SteppingHit& hit : ui.step_hits.launch) {
        const bool bar = hit.what == What::bar;
        if (bar && ui.step_bar_held) drag_bar(hit.box, at.x, *frame, out);
        if (!inside(hit.box, at)) continue;
        if (clicked && bar) {
            ui.step_bar_held = true;
            drag_bar(hit.box, at.x, *frame, out);
        } else if (clicked) {
            click(hit, document, *frame, ui, out);
        } else if (!ui.step_bar_held && !bar) {
            point_at(hit, stepping_view(*frame, document.look), ui);
        }
        if (!ui.step_bar_held) break;
    }
}

} // namespace lanescope::app
