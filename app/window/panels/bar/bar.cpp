// The bar at the top, and the tabs above the picture: the lab, its subjects, and what can be done
// with it. Each entry does what its key does.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/draw/subjects/subject_kind.h"
#include "app/lessons/talk.h"
#include "app/window/input/keys.h"
#include "app/window/panels/row.h"

namespace lanescope::app {
namespace {

using Icon = RowEntry::Icon;

constexpr float pad_em = 0.6F;
constexpr float min_lab_em = 8; // width of the lab's name beside the subjects

// The action's first chord, as in "Ctrl O": the user's own, or the table's.
std::string key_of(const View& view, std::string_view action)
{
    for (const KeyRow& row : key_table()) {
        if (row.action != action) continue;
        const auto own = view.document.keys.find(row.action);
        const std::string_view chords = own == view.document.keys.end() ? row.keys : own->second;
        return words_of(chords.substr(0, chords.find(' ')));
    }
    return {};
}

std::string lesson_title(const Presentation& presentation)
{
    if (!presentation.talk) return "Lesson";
    return fmt::format("Lesson {}/{}", presentation.beat + 1, presentation.talk->beats.size());
}

struct Action {
    RowEntry entry;
    std::string_view action;
};

std::vector<Action> bar_actions(const View& view, bool folded)
{
    const Document& document = view.document;
    const bool stepping = document.look.step.on;
    std::vector<Action> all;
    const auto add = [&](const char* action, RowEntry entry) {
        entry.id = std::string("bar ") + action;
        if (entry.key.empty()) entry.key = key_of(view, action);
        all.push_back({std::move(entry), action});
    };
    if (folded && !stepping)
        add("next_panel", {.id = {},
                           .title = "Panels",
                           .help = "variants, parameters and presets",
                           .chosen = view.ui.drawer});
    add("open", {.id = {},
                 .title = "Open…",
                 .help = "your own .cu, a program, a session, a lecture or a picture"});
    add("next_beat",
        {.id = {},
         .title = lesson_title(document.presentation),
         .help = document.presentation.talk ? "the next beat; Shift L ends the lesson"
                                            : "questions about this lab, with counted answers",
         .chosen = document.presentation.talk != nullptr});
    if (document.lab().variants.size() > 1)
        add("compare", {.id = {},
                        .title = "A/B",
                        .help = "two variants side by side",
                        .chosen = !document.look.compare.empty()});
    if (!stepping && document.paused)
        add("pause", {.id = {}, .title = "PAUSED", .help = "continue", .chosen = true});
    else if (!stepping)
        add("pause", {.id = {}, .title = "Pause", .help = "pause", .icon = Icon::pause});
    add("lecture",
        {.id = {}, .title = "Projector", .help = "the picture alone, for a lecture hall"});
    add("help", {.id = {},
                 .title = "?",
                 .key = key_of(view, "palette"),
                 .help = "search actions, labs, presets, cards and lectures",
                 .chosen = document.help});
    add("settings", {.id = {},
                     .title = "Settings",
                     .help = "engine, pictures and videos, text size",
                     .chosen = view.ui.settings,
                     .icon = Icon::gear});
    return all;
}

void press(const View& view, std::string_view action, Commands& out)
{
    for (const KeyRow& row : key_table())
        if (row.action == action) return row.press({view.document, view.frame, view.ui, 1}, out);
}

std::vector<RowEntry> entries_of(const std::vector<Action>& actions)
{
    std::vector<RowEntry> entries;
    for (const Action& one : actions) entries.push_back(one.entry);
    return entries;
}

void draw_actions(const View& view, const std::vector<Action>& actions, float room, Commands& out)
{
    const IdScope id("actions");
    const auto clicked = draw_row(view, entries_of(actions), room);
    if (!clicked) return;
    const std::string_view action = actions[*clicked].action;
    if (action == "next_panel")
        view.ui.drawer = !view.ui.drawer;
    else
        press(view, action, out);
}

std::vector<RowEntry> subject_entries(const View& view)
{
    const Look& look = view.document.look;
    std::vector<RowEntry> entries;
    for (std::size_t i = 0; i < subjects().size(); ++i)
        entries.push_back({.id = "subject " + std::to_string(i),
                           .title = subjects()[i]->title,
                           .key = i == 0 ? key_of(view, "result") : "",
                           .help = std::string(subjects()[i]->question) + " (M: the next one)",
                           .chosen = !look.step.on && i == static_cast<std::size_t>(look.subject)});
    entries.push_back({.id = "subject step",
                       .title = "Step",
                       .key = key_of(view, "stepping"),
                       .help = "What does each line do? Step through a launch",
                       .chosen = look.step.on});
    return entries;
}

void draw_subjects(const View& view, float room, Commands& out)
{
    const std::vector<RowEntry> entries = subject_entries(view);
    const IdScope id("subjects");
    const auto clicked = draw_row(view, entries, room);
    if (!clicked || entries[*clicked].chosen) return;
    const bool step = *clicked + 1 == entries.size();
    if (step != view.document.look.step.on) out.push_back(StepMode{step});
    if (!step) out.push_back(ShowSubject{static_cast<Subject>(*clicked)});
}

} // namespace

void bar_panel(const View& view, const Layout& layout, Commands& out)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const float width = layout.bar.size.x;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad_em * em, 0.17F * em});
    const PanelScope panel("bar", layout.bar.at, layout.bar.size, ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar();
    const bool one_row = layout.subjects.empty() && !layout.picture.empty();
    const auto actions = bar_actions(view, layout.folded());
    const auto entries = entries_of(actions);
    const float whole = width - 2 * pad_em * em;
    const float tabs = one_row ? row_width(style, subject_entries(view), false) + 1.2F * em : 0;
    const float min_width = row_width(style, entries, false);
    const float lab_room =
        std::max(one_row ? min_lab_em * em : 0.35F * whole, whole - em - tabs - min_width);
    const float lab = std::min(lab_list_width(view), lab_room);
    lab_list(view, lab, out);
    const float rest = whole - lab - em;
    // Beside the subjects there is no room for the actions' keys.
    const float wanted = one_row ? min_width : row_width(style, entries, true);
    const float room = std::min(wanted <= rest ? wanted : min_width, rest);
    ImGui::SameLine(0, em);
    if (one_row) draw_subjects(view, rest - room - 1.2F * em, out);
    ImGui::SameLine(pad_em * em + whole - room);
    draw_actions(view, actions, room + 0.01F * em, out);
}

void subjects_panel(const View& view, const Area& area, Commands& out)
{
    const float em = view.style.em;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad_em * em, 0.1F * em});
    const PanelScope panel("subjects", area.at, area.size, ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar();
    draw_subjects(view, area.size.x - 2 * pad_em * em, out);
}

} // namespace lanescope::app
