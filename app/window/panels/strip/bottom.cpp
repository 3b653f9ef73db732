// The strip below the picture: its tabs, the choice of the sweep, and the contents of the open tab.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/document/look/tabs.h"
#include "app/draw/scene/maps.h"
#include "app/lessons/answers.h"
#include "app/lessons/form.h"
#include "app/lessons/talk.h"
#include "app/window/editor/text/editing.h"
#include "app/window/gui/painter.h"
#include "app/window/interaction/follow.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/row.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/sweep.h"
#include "compute/error.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using tabs::Tab;

bool is_filled(const View& view, const Tab& tab)
{
    const std::string_view id = tab.id;
    if (id == tabs::output) return view.ui.printed->bytes > 0;
    if (id == tabs::program) return view.ui.program.frame || !view.ui.program.offered.empty();
    return id != tabs::versions || !view.document.bench.versions.empty();
}

constexpr const char* cards = "cards"; // over the picture, with a tab like the others

// The tabs from left to right, with a line about their contents.
constexpr std::pair<const char*, const char*> described[] = {
    {tabs::variants, "count and time of every variant"},
    {tabs::source, "the kernel's text with the cost of each line"},
    {tabs::sweep, "costs over a range of sizes"},
    {tabs::roofline, "speed against the limits of the GPU"},
    {tabs::history, "counts and times of the last steps"},
    {tabs::lesson, "what this lab teaches, as text"},
    {tabs::versions, "costs of the edited kernel, version by version"},
    {tabs::output, "what the kernels printed"},
    {tabs::program, "launches, copies and mistakes of the whole program"}};
static_assert(std::size(described) == tabs::all.size());

std::vector<RowEntry> tab_entries(const View& view, const std::string& open)
{
    std::vector<RowEntry> entries;
    for (const auto& [id, help] : described) {
        const Tab& tab = *tabs::find(id);
        if (!tab.hidden_if_empty || open == tab.id || is_filled(view, tab))
            entries.push_back({.id = std::string("tab ") + tab.id,
                               .title = tab.title,
                               .key = tab.key,
                               .help = help,
                               .chosen = open == tab.id});
    }
    entries.push_back({.id = std::string("tab ") + cards,
                       .title = "Cards",
                       .key = "K",
                       .help = "claims of lecture notes, and whether the counts agree",
                       .chosen = view.document.presentation.card.has_value()});
    return entries;
}

// The tabs, and at the right what can be done with the open one.
void tab_line(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const PanelSizes& panels = view.document.look.panels;
    const std::string open = panels.bottom > 0 ? panels.bottom_tab : "";
    const Tab* const shown = tabs::find(open);
    std::vector<RowEntry> actions;
    CodeState& code = view.ui.code;
    if (open == tabs::source)
        actions.push_back({.id = "strip edit",
                           .title = code.editing ? "Done" : "Edit",
                           .key = code.editing ? "Esc" : "Ctrl E",
                           .help = code.editing ? "end editing" : "change the kernel here",
                           .chosen = code.editing});
    if (shown && shown->exportable)
        actions.push_back({.id = "strip export",
                           .title = "Export",
                           .key = "E",
                           .help = "this tab as figures and tables"});
    if (shown)
        actions.push_back({.id = "strip whole",
                           .title = panels.whole ? "Smaller" : "Larger",
                           .key = "X",
                           .help = "fill the window, or return to a strip"});
    if (shown) actions.push_back({.id = "strip close", .title = "×", .help = "fold the strip"});
    const float left = ImGui::GetCursorPosX();
    const float room = ImGui::GetContentRegionAvail().x;
    const float wanted = row_width(style, actions, true);
    const float right = actions.empty() ? 0 : std::min(wanted, 0.4F * room) + em;
    const auto entries = tab_entries(view, open);
    {
        const IdScope id("tabs");
        if (const auto clicked = draw_row(view, entries, room - right)) {
            const std::string tab = entries[*clicked].id.substr(std::string("tab ").size());
            if (tab == cards)
                out.push_back(ShowCards{!entries[*clicked].chosen, 0});
            else
                out.push_back(ShowTab{tab == open ? "" : tab});
        }
    }
    if (actions.empty()) return;
    const IdScope id("actions");
    ImGui::SameLine(left + room - right + em);
    const auto clicked = draw_row(view, actions, right - em + 0.01F * em);
    if (!clicked) return;
    const std::string& action = actions[*clicked].id;
    if (action == "strip edit" && code.editing)
        code.editing = false;
    else if (action == "strip edit")
        begin_editing(code, view.document);
    if (action == "strip export") out.push_back(Take{Taken::exhibit});
    if (action == "strip whole") out.push_back(WholeStrip{!panels.whole});
    if (action == "strip close") out.push_back(ShowTab{});
}

void sweep_progress(const View& view, const SweepFrame& sweep)
{
    const std::size_t done = sweep.points->size();
    const std::size_t all = sweep.plan->points();
    if (sweep.finished) {
        quiet_text(view.style, sweep.error.empty() ? counted(done, "point") : sweep.error);
        return;
    }
    const std::string text = fmt::format("{} of {}{}", done, counted(all, "point"),
                                         view.frame.engine.has_clock ? "; the picture waits" : "");
    const float bar =
        ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x - view.style.em;
    ImGui::ProgressBar(all ? static_cast<float>(done) / static_cast<float>(all) : 0, {bar, 0}, "");
    ImGui::SameLine();
    quiet_text(view.style, text);
}

// Chooses the sweep and its variants, and shows its progress.
void sweep_controls(const View& view, Commands& out)
{
    const auto& sweep = view.frame.sweep;
    if (!sweep || !sweep->plan) {
        quiet_text(view.style, "The new sweep begins after the current point.");
        return;
    }
    const labs::Sweep& chosen = *sweep->plan->sweep;
    SweepChoice choice = view.document.sweep;
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * view.style.em, 0.08F * view.style.em});
    ImGui::SetNextItemWidth(0.42F * width);
    if (ImGui::BeginCombo("##sweep", chosen.title.c_str())) {
        for (const labs::Sweep& one : view.document.lab().sweeps)
            if (ImGui::Selectable(one.title.c_str(), &one == &chosen)) choice.title = one.title;
        ImGui::EndCombo();
    }
    ImGui::SameLine();
    if (chosen.covers(view.document.variant) && chosen.variants.size() != 1) {
        ImGui::Checkbox("all variants", &choice.all_variants);
        ImGui::SameLine();
    }
    if (choice != view.document.sweep) out.push_back(ChooseSweep{choice});
    sweep_progress(view, *sweep);
    ImGui::PopStyleVar();
}

// A part of the strip that scrolls under the tabs, until the end of the scope.
class Scrolled {
public:
    Scrolled() { ImGui::BeginChild("scrolled"); }
    ~Scrolled() { ImGui::EndChild(); }
    Scrolled(const Scrolled&) = delete;
    Scrolled& operator=(const Scrolled&) = delete;
};

// The lab's lesson, with numbers filled in as the program finds them.
std::string lesson_text(const View& view)
{
    const std::string_view text = view.document.lab().lesson();
    try {
        return read_words(text).filled(
            [&](const Formula& formula) { return view.answers->find(formula); });
    } catch (const Error& error) {
        return fmt::format("{}\n\n{}", error.what(), text);
    }
}

// The problem size of the recorded times that the beat reveals. The bars beside the revealed number
// use this size, too.
std::string revealed_size(const Presentation& presentation)
{
    if (!presentation.now() || !presentation.revealed) return {};
    for (const Quantity& one : presentation.now()->reveal.quantities())
        if (one.recorded()) return one.size;
    return {};
}

// Animates recorded times as a race when they appear, all slowed down by the same factor; a click
// restarts it.
void race(const View& view, Exhibit& exhibit)
{
    constexpr double max_s = 3;
    const Presentation& presentation = view.document.presentation;
    const std::string of = fmt::format("{} {} {} {}", view.document.start.lab, presentation.beat,
                                       presentation.revealed, revealed_size(presentation));
    Interaction& ui = view.ui;
    const bool clicked = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
                         ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (ui.race_of != of || clicked) {
        ui.race_of = of;
        ui.race_began_s = ImGui::GetTime();
    }
    const double passed = ImGui::GetTime() - ui.race_began_s;
    for (Exhibit::Part& part : exhibit.parts) {
        auto* const chart = std::get_if<render::BarChart>(&part.what);
        if (!chart || !chart->may_race) continue;
        double slowest_ms = 0;
        for (const render::BarRow& row : chart->rows)
            slowest_ms = std::max(slowest_ms, row.value.value_or(0));
        if (slowest_ms <= 0) continue;
        if (passed < max_s) chart->race = slowest_ms * passed / max_s;
        chart->axis += fmt::format(
            "; slow motion 1:{}",
            grouped(static_cast<std::uint64_t>(std::max(1.0, 1000 * max_s / slowest_ms))));
    }
}

} // namespace

bool is_wide(const Area& bottom, float em)
{
    return bottom.size.x > 66 * em;
}

std::optional<Exhibit> shown_exhibit(const Document& document, const Frame& frame, bool wide)
{
    const Look& look = document.look;
    const labs::Lab& lab = document.lab();
    const bool has_clock = frame.engine.has_clock;
    const Roofs& roofs = frame.engine.roofs;
    if (shows_tab(look, tabs::variants)) {
        const auto variants = variant_readings(document, frame);
        BarsOf bars{
            look.map, look.map_of, revealed_size(document.presentation), {}, document.values};
        for (const labs::Variant& variant : lab.variants)
            if (document.presentation.withholds_time(lab.id, variant.id))
                bars.withheld.insert(variant.id);
        Exhibit exhibit =
            variants_exhibit(lab, variants, frame.a.facts.kernel, {has_clock, roofs}, bars);
        if (!wide) return exhibit;
        for (Exhibit::Part& part : history_exhibit(lab, variants, has_clock).parts)
            exhibit.parts.push_back({std::move(part.what), 2});
        return exhibit;
    }
    if (shows_tab(look, tabs::history))
        return history_exhibit(lab, variant_readings(document, frame), has_clock);
    if (shows_tab(look, tabs::roofline))
        return roofline_exhibit(lab, variant_readings(document, frame), has_clock, roofs,
                                document.values);
    if (shows_tab(look, tabs::sweep) && frame.sweep && frame.sweep->plan) {
        const SweepResult result{*frame.sweep->plan, *frame.sweep->points};
        return sweep_exhibit({&result, 1}, roofs, document.variant);
    }
    if (shows_tab(look, tabs::source)) {
        const auto lines = source_lines(frame);
        if (!lines.empty())
            return source_exhibit(frame.a.lab->title + ": " + frame.a.variant->source, lines);
    }
    return {};
}

void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit)
{
    if (!exhibit.words.empty()) quiet_text(style, exhibit.words);
    ImGui::BeginChild("parts");
    // The scroll bar depends on the height, and the height on the width that the scroll bar leaves.
    ImVec2 room{ImGui::GetWindowSize().x, ImGui::GetContentRegionAvail().y};
    room.x -= 1; // glyphs extend a little beyond their width
    const float text = style.em;
    const float plot = std::max(room.y, 9 * text);
    float height = parts_height(exhibit.parts, room.x, {plot, text});
    if (height > room.y) {
        room.x -= ImGui::GetStyle().ScrollbarSize;
        height = std::max(parts_height(exhibit.parts, room.x, {plot, text}), room.y + 1);
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    PanelPainter painter(style.fonts);
    draw_parts(painter, {at.x, at.y, room.x, height}, exhibit.parts, {plot, text}, theme);
    ImGui::Dummy({1, height});
    ImGui::EndChild();
}

void bottom_panel(const View& view, Commands& out)
{
    const std::string& tab = view.document.look.panels.bottom_tab;
    const Area area{ImGui::GetWindowPos(), ImGui::GetWindowSize()};
    if (!view.document.look.lecture) tab_line(view, out); // a page of a lecture has no choices
    // The frame that opens the strip recomputes the whole layout: draw the strip's contents in the
    // next frame.
    const bool was_open = std::exchange(view.ui.strip, view.document.look.panels.bottom > 0);
    if (!was_open || !view.ui.strip) return view.ui.race_of.clear();
    if (tab == tabs::sweep) sweep_controls(view, out);
    if (tab == tabs::source && view.document.look.code_is_beside())
        return quiet_text(view.style, "The source is beside the picture.");
    if (tab == tabs::source) return source_panel(view, out);
    if (tab == tabs::lesson) {
        const Scrolled scrolled;
        return lesson_panel(view, lesson_text(view), out);
    }
    if (tab == tabs::program) return program_panel(view, out);
    if (tab == tabs::versions) return versions_panel(view, out);
    if (tab == tabs::output) return output_panel(view);
    const bool wide = is_wide(area, view.style.em);
    if (auto exhibit = shown_exhibit(view.document, view.frame, wide)) {
        if (tab == tabs::variants) race(view, *exhibit);
        exhibit_panel(view.style, view_theme(view.document.look.theme), *exhibit);
    }
    if (tab != tabs::variants) view.ui.race_of.clear();
}

} // namespace lanescope::app
