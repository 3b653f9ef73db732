// The strip below the picture: its tabs, the choice of sweep, and the open tab's contents.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/document/tabs.h"
#include "app/draw/maps.h"
#include "app/lessons/answers.h"
#include "app/lessons/form.h"
#include "app/lessons/talk.h"
#include "app/window/follow.h"
#include "app/window/panels/painter.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/sweep.h"
#include "compute/error.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using tabs::Tab;

constexpr float key_size = 0.93F; // relative to the title

float tab_width(const PanelStyle& style, const Tab& tab, float em)
{
    const auto text = [](ImFont* font, float size, const char* words) {
        return font->CalcTextSizeA(size, FLT_MAX, 0, words).x;
    };
    // Measured in bold, so that nothing moves when the tab is chosen.
    return text(style.fonts.bold, em, tab.title) + 0.3F * em +
           text(style.fonts.plain, key_size * em, tab.key);
}

bool tab_button(const PanelStyle& style, const Tab& tab, float em, bool chosen)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const IdScope id(tab.id);
    const bool clicked = ImGui::InvisibleButton("tab", {tab_width(style, tab, em), em * 1.3F});
    const ImVec4 colour = chosen                   ? style.palette.accent
                          : ImGui::IsItemHovered() ? style.palette.text
                                                   : style.palette.quiet;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    ImFont* const font = chosen ? style.fonts.bold : style.fonts.plain;
    draw.AddText(font, em, at, ImGui::GetColorU32(colour), tab.title);
    const float after = font->CalcTextSizeA(em, FLT_MAX, 0, tab.title).x;
    draw.AddText(style.fonts.plain, key_size * em,
                 {at.x + after + 0.3F * em, at.y + em * (1 - key_size)},
                 ImGui::GetColorU32(style.palette.quiet), tab.key);
    return clicked;
}

bool is_filled(const View& view, const Tab& tab)
{
    const std::string_view id = tab.id;
    if (id == tabs::output) return view.ui.printed->bytes > 0;
    if (id == tabs::program) return view.ui.program.frame || !view.ui.program.offered.empty();
    return id != tabs::versions || !view.document.bench.versions.empty();
}

// Wraps tabs over as many lines as the width needs, with the buttons at the right of the last.
void tab_line(const View& view, const std::string& chosen, Commands& out)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const float gap = 1.1F * em;
    const float left = ImGui::GetCursorPosX();
    const float right = left + ImGui::GetContentRegionAvail().x;
    float x = left;
    const auto place = [&](float width) { // beside the previous one, or on a new line
        if (x > left && x + width > right) x = left;
        if (x > left) ImGui::SameLine(x);
        x += width + gap;
    };
    for (const Tab& tab : tabs::all) {
        if (tab.hidden_if_empty && chosen != tab.id && !is_filled(view, tab)) continue;
        place(tab_width(style, tab, em));
        if (tab_button(style, tab, em, chosen == tab.id)) out.push_back(ShowTab{tab.id});
    }
    const TextScope text(style.fonts.plain, em * 0.93F, style.palette.text);
    const bool whole = view.document.look.panels.whole;
    const char* const names[] = {"Export (E)", whole ? "Smaller (X)" : "Larger (X)", "×"};
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * em, 0.14F * em});
    const auto width = [](const char* name) {
        return ImGui::CalcTextSize(name).x + 2 * ImGui::GetStyle().FramePadding.x;
    };
    const Tab* const shown = tabs::find(chosen);
    const bool exportable = shown && shown->exportable;
    const float space = ImGui::GetStyle().ItemSpacing.x;
    const float all =
        (exportable ? width(names[0]) + space : 0) + width(names[1]) + space + width(names[2]);
    place(all);
    ImGui::SetCursorPosX(std::max(left, right - all));
    if (exportable) {
        if (ImGui::Button(names[0])) out.push_back(Take{Taken::exhibit});
        ImGui::SameLine();
    }
    if (ImGui::Button(names[1])) out.push_back(WholeStrip{!whole});
    ImGui::SameLine();
    if (ImGui::Button(names[2])) out.push_back(ShowTab{});
    ImGui::PopStyleVar();
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

// The problem size of the recorded times that the beat reveals: the bars beside its number use the
// same one.
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
        chart->axis += fmt::format("; a second here is {}", format_time(slowest_ms / max_s));
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
        Exhibit exhibit =
            variants_exhibit(lab, variants, frame.a.facts.kernel, {has_clock, roofs},
                             {look.map, look.map_of, revealed_size(document.presentation)});
        if (!wide) return exhibit;
        for (Exhibit::Part& part : history_exhibit(lab, variants, has_clock).parts)
            exhibit.parts.push_back({std::move(part.what), 2});
        return exhibit;
    }
    if (shows_tab(look, tabs::history))
        return history_exhibit(lab, variant_readings(document, frame), has_clock);
    if (shows_tab(look, tabs::roofline))
        return roofline_exhibit(lab, variant_readings(document, frame), has_clock, roofs);
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
    if (!view.document.look.lecture) tab_line(view, tab, out); // a page of a lecture has no choices
    // The frame that opens the strip recomputes the whole layout: draw the strip's contents in the
    // next frame.
    if (ImGui::IsWindowAppearing()) return view.ui.race_of.clear();
    if (tab == tabs::sweep) sweep_controls(view, out);
    if (tab == tabs::source && view.document.look.code_is_beside())
        return quiet_text(view.style, "The source is beside the picture.");
    if (tab == tabs::source) return source_panel(view, out);
    if (tab == tabs::versions) return versions_panel(view, out);
    if (tab == tabs::output) return output_panel(view);
    if (tab == tabs::program) return program_panel(view, out);
    if (tab == tabs::lesson) return lesson_panel(view, lesson_text(view), out);
    const bool wide = is_wide(area, view.style.em);
    if (auto exhibit = shown_exhibit(view.document, view.frame, wide)) {
        if (tab == tabs::variants) race(view, *exhibit);
        exhibit_panel(view.style, view_theme(view.document.look.theme), *exhibit);
    }
    if (tab != tabs::variants) view.ui.race_of.clear();
}

} // namespace lanescope::app
