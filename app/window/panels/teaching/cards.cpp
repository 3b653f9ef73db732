// "Check the slide": one claim at a time over the picture, with the experiment that decides it and,
// once the program has found it, the verdict.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/lessons/answers.h"
#include "app/lessons/cards.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

void write_words(ImFont* font, float size, ImVec4 colour, std::string_view words)
{
    const TextScope scope(font, size, colour);
    plain_text(words);
}

void tests(const View& view, const Card& card, float px)
{
    const PanelStyle& style = view.style;
    if (!ImGui::BeginTable("tests", 3, ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 2.4F);
    ImGui::TableSetupColumn("claimed", ImGuiTableColumnFlags_WidthStretch, 0.9F);
    ImGui::TableSetupColumn("found", ImGuiTableColumnFlags_WidthStretch, 1.1F);
    ImGui::TableNextRow();
    for (const char* const title : {"experiment", "claimed", "found"}) {
        ImGui::TableNextColumn();
        write_words(style.fonts.plain, 0.93F * px, style.palette.quiet, title);
    }
    for (const CardTest& test : card.tests) {
        const Answer* const answer = view.answers->find(test.formula);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        write_words(style.fonts.plain, px, style.palette.text, test.title);
        write_words(style.fonts.code, 0.93F * px, style.palette.quiet, test.formula.text());
        ImGui::TableNextColumn();
        write_words(style.fonts.plain, px, style.palette.text, test.claimed());
        ImGui::TableNextColumn();
        const std::string problem = view.answers->problem(test.formula);
        if (answer) {
            write_words(style.fonts.bold, px,
                        test.condition.holds(answer->value) ? style.palette.accent
                                                            : style.palette.warning,
                        test.found(answer->value));
            write_words(style.fonts.plain, 0.93F * px, style.palette.quiet, answer->origin);
        } else {
            write_words(style.fonts.plain, px, style.palette.quiet,
                        problem.empty() ? "…" : problem);
        }
    }
    ImGui::EndTable();
}

} // namespace

void cards_panel(const View& view, const Area& area, Commands& out)
{
    const labs::Lab& lab = view.document.lab();
    const auto [cards, own] = cards_for(lab);
    const std::size_t at = *view.document.presentation.card;
    const Card& card = *cards[at];
    const PanelStyle& style = view.style;
    const float px = (view.document.look.lecture ? 1.35F : 1.0F) * style.em;
    const PanelScope panel("cards", area.at, area.size, ImGuiWindowFlags_NoFocusOnAppearing, true);
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    write_words(
        style.fonts.plain, 0.93F * px, style.palette.quiet,
        fmt::format("Check the slide   {} / {}{}   PageDown, PageUp; Esc closes", at + 1,
                    cards.size(),
                    at < own ? fmt::format(", {} of {} about {}", at + 1, own, lab.title) : ""));
    ImGui::SameLine(right - 4 * px);
    if (ImGui::SmallButton("‹##previous") && at > 0) out.push_back(ShowCards{true, at - 1});
    ImGui::SameLine();
    if (ImGui::SmallButton("›##next") && at + 1 < cards.size())
        out.push_back(ShowCards{true, at + 1});
    ImGui::Dummy({1, 0.3F * px});
    write_words(style.fonts.bold, 1.4F * px, style.palette.text, fmt::format("“{}”", card.claim));
    write_words(style.fonts.plain, 0.93F * px, style.palette.quiet, card.source);
    ImGui::Dummy({1, 0.5F * px});
    tests(view, card, px);
    ImGui::Dummy({1, 0.5F * px});
    const auto find = [&](const Formula& formula) { return view.answers->find(formula); };
    const auto verdict = verdict_of(card, find);
    if (!verdict) return write_words(style.fonts.plain, px, style.palette.quiet, "Counting …");
    write_words(style.fonts.bold, 1.7F * px,
                *verdict == "right" ? style.palette.accent : style.palette.warning, *verdict);
    write_words(style.fonts.plain, px, style.palette.text, card.because.filled(find));
}

} // namespace lanescope::app
