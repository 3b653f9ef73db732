// A talk's text below the picture: the beat's words, or the answer to its question with the number
// that the program found. It is as high as its text needs; the picture keeps its size during a
// beat.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/scene/margins.h"
#include "app/lessons/answers.h"
#include "app/lessons/talk.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

constexpr float max_window_share = 0.46F;
// A picture lower than this, between an answer and the strip that shows its evidence, leaves its
// space to them.
constexpr float min_picture_em = 11;

float text_px(const Look& look, float em)
{
    return look.lecture ? lecture_zoom * em : em;
}

void text(ImFont* font, float size, ImVec4 colour, std::string_view words)
{
    const TextScope scope(font, size, colour);
    plain_text(
        broken_into_lines(font, size, words, ImGui::GetContentRegionAvail().x - 0.35F * size));
}

// "A  4 · 14 votes", with the right choice in the accent colour.
void choices(const View& view, const Beat& beat, std::optional<std::size_t> right, float px)
{
    const PanelStyle& style = view.style;
    const std::vector<int> votes = view.document.presentation.current_votes();
    const bool voted = std::ranges::any_of(votes, [](int count) { return count > 0; });
    const auto words = [&](std::size_t i) {
        const std::string count =
            voted ? "  · " + counted(static_cast<std::size_t>(votes[i]), "vote") : "";
        return fmt::format("{}  {}{}", letter_of(i), beat.choices[i].text, count);
    };
    for (std::size_t i = 0; i < beat.choices.size(); ++i) {
        const bool is_correct = right == i;
        ImFont* const font = is_correct ? style.fonts.bold : style.fonts.plain;
        if (i > 0) {
            ImGui::SameLine(0, 1.6F * px);
            if (width_of(font, px, words(i)) > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
        }
        text(font, px, is_correct ? style.palette.accent : style.palette.quiet, words(i));
    }
}

// One number, its unit and its origin.
void reveal(const View& view, const Beat& beat, const Answer* answer, float px)
{
    const PanelStyle& style = view.style;
    if (!answer) {
        const std::string problem = view.answers->problem(beat.reveal);
        text(style.fonts.plain, px, problem.empty() ? style.palette.quiet : style.palette.warning,
             problem.empty() ? "Counting …" : problem);
        return;
    }
    // A percent sign belongs to the number.
    std::string unit = unit_of(answer->value, beat.unit);
    const bool percent = unit.starts_with('%');
    if (percent) unit.erase(0, std::min(unit.find_first_not_of("% "), unit.size()));
    text(style.fonts.bold, 2.6F * px, style.palette.accent,
         number_text(answer->value) + (percent ? "%" : ""));
    if (!unit.empty()) text(style.fonts.plain, px, style.palette.text, unit);
    text(style.fonts.plain, 0.93F * px, style.palette.quiet, answer->origin);
}

// A question covers everything that could give away its answer.
Area question_area(const Layout& layout)
{
    ImVec2 low{FLT_MAX, FLT_MAX};
    ImVec2 high{0, 0};
    for (const Area* area :
         {&layout.picture, &layout.subjects, &layout.bottom, &layout.number, &layout.code}) {
        if (area->empty()) continue;
        low = {std::min(low.x, area->at.x), std::min(low.y, area->at.y)};
        high = {std::max(high.x, area->at.x + area->size.x),
                std::max(high.y, area->at.y + area->size.y)};
    }
    return {low, {high.x - low.x, high.y - low.y}};
}

} // namespace

void leave_room_for_beat(const Document& document, const Interaction& ui, float em, Layout& layout)
{
    const Beat* const beat = document.presentation.now();
    if (!beat || document.presentation.card) return;
    if (document.presentation.asks()) {
        layout.beat = question_area(layout);
        layout.picture = layout.bottom = layout.number = layout.code = layout.subjects = {};
        return;
    }
    const float px = text_px(document.look, em);
    const bool known = ui.band_of == beat && ui.band > 0;
    Area& above = layout.picture.empty() ? layout.bottom : layout.picture;
    const float whole = above.size.y + layout.number.size.y;
    const float height = std::round(std::min(known ? ui.band : 5 * px, max_window_share * whole));
    layout.number = {}; // the beat's revealed number replaces it
    above.size.y = whole - height;
    layout.beat = {{above.at.x, above.at.y + above.size.y}, {above.size.x, height}};
    if (document.presentation.revealed && !layout.picture.empty() && !layout.bottom.empty() &&
        layout.code.empty() && layout.bottom.at.y >= layout.beat.at.y &&
        above.size.y < min_picture_em * em) {
        layout.beat.at.y = above.at.y;
        layout.beat.size.y = known ? std::round(ui.band) : height;
        const float bottom = layout.bottom.at.y + layout.bottom.size.y;
        layout.bottom.at.y = layout.beat.at.y + layout.beat.size.y;
        layout.bottom.size.y = bottom - layout.bottom.at.y;
        layout.picture = {};
        return;
    }
    if (layout.code.empty() || layout.code.at.y > 0 || !layout.bottom.empty()) return;
    layout.code.size.y -= height; // the beat's text extends below both
    layout.beat.size.x += layout.code.size.x;
    layout.beat.at.x = std::min(layout.beat.at.x, layout.code.at.x);
}

void beat_panel(const View& view, const Area& area, Commands& out)
{
    const Presentation& presentation = view.document.presentation;
    if (presentation.asks()) return question_panel(view, area, out);
    const Beat& beat = *presentation.now();
    const PanelStyle& style = view.style;
    const float px = text_px(view.document.look, style.em);
    const PanelScope panel("beat", area.at, area.size, ImGuiWindowFlags_NoFocusOnAppearing);
    const auto find = [&](const Formula& formula) { return view.answers->find(formula); };
    const Answer* const answer = beat.reveal.empty() ? nullptr : find(beat.reveal);
    const float above = ImGui::GetCursorPosY();

    if (!ImGui::BeginTable("beat", presentation.revealed ? 2 : 1)) return;
    if (presentation.revealed)
        ImGui::TableSetupColumn("truth", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch, 1.8F);
    ImGui::TableNextColumn();
    if (presentation.revealed) {
        reveal(view, beat, answer, px);
        ImGui::TableNextColumn();
    }
    text(style.fonts.plain, 0.93F * px, style.palette.quiet, place_of(presentation));
    if (presentation.revealed) {
        text(style.fonts.plain, px, style.palette.quiet, beat.question.filled(find));
        choices(view, beat, answer ? beat.right(answer->value) : std::nullopt, px);
    } else if (!beat.say.empty()) {
        text(style.fonts.plain, px, style.palette.text, beat.say.filled(find));
    }
    if (!beat.because.empty())
        text(style.fonts.plain, px, style.palette.text, beat.because.filled(find));
    if (!presentation.end.empty())
        text(style.fonts.bold, px, style.palette.accent, presentation.end);
    ImGui::EndTable();
    const float needed = ImGui::GetCursorPosY() + above;
    view.ui.band = view.ui.band_of == &beat ? std::max(view.ui.band, needed) : needed;
    view.ui.band_of = &beat;
}

} // namespace lanescope::app
