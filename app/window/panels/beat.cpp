// The words of a talk below the picture: what the beat says, what it asks with the audience's
// guesses, and what the program found out. As high as they need; while a beat lasts the picture
// does not change its size.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/margins.h"
#include "app/lessons/answers.h"
#include "app/lessons/talk.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

constexpr float most_of_window = 0.46F;

float text_px(const Look& look, float em)
{
    return look.lecture ? lecture_zoom * em : em;
}

// Broken at spaces alone: Dear ImGui would also break "6.97" behind its point.
std::string at_spaces(ImFont& font, float size, float room, std::string_view words)
{
    std::string broken;
    std::string line;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find_first_of(" \n"), words.size());
        const std::string word(words.substr(0, end));
        const std::string longer = line.empty() ? word : line + ' ' + word;
        if (!line.empty() && font.CalcTextSizeA(size, FLT_MAX, 0, longer.c_str()).x > room) {
            broken += line + '\n';
            line = word;
        } else {
            line = longer;
        }
        if (end < words.size() && words[end] == '\n') {
            broken += line + '\n';
            line.clear();
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return broken + line;
}

void text(ImFont* font, float size, ImVec4 colour, std::string_view words)
{
    const TextScope scope(font, size, colour);
    plain_text(at_spaces(*font, size, ImGui::GetContentRegionAvail().x - 1, words));
}

// How many chose each choice, as a bar and a number.
void choices(const View& view, const Beat& beat, std::optional<std::size_t> right, float px)
{
    const PanelStyle& style = view.style;
    const Giving& giving = view.document.giving;
    const auto found = giving.guesses.find(giving.beat);
    const std::vector<double> none;
    const std::vector<double>& guesses = found == giving.guesses.end() ? none : found->second;
    const auto votes = [&](std::size_t choice) {
        return std::ranges::count(guesses, static_cast<double>(choice + 1));
    };
    float widest = 0;
    for (const Choice& choice : beat.choices)
        widest = std::max(widest,
                          style.fonts.bold->CalcTextSizeA(px, FLT_MAX, 0, choice.text.c_str()).x);
    const float room = ImGui::GetContentRegionAvail().x;
    const auto fit = static_cast<std::size_t>(std::max(1.0F, room / (widest + 3.2F * px)));
    const auto columns = static_cast<int>(std::min(fit, beat.choices.size()));
    if (!ImGui::BeginTable("choices", columns, ImGuiTableFlags_SizingStretchSame)) return;
    for (std::size_t i = 0; i < beat.choices.size(); ++i) {
        ImGui::TableNextColumn();
        const bool is_right = right == i;
        const ImVec4 colour = is_right ? style.palette.accent
                              : right  ? style.palette.quiet
                                       : style.palette.text;
        text(is_right ? style.fonts.bold : style.fonts.plain, px, colour,
             fmt::format("{}  {}{}", i + 1, beat.choices[i].text, is_right ? "  ←" : ""));
        if (guesses.empty()) continue;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x - 3 * px;
        const float share = static_cast<float>(votes(i)) /
                            static_cast<float>(std::max<std::size_t>(guesses.size(), 1));
        ImDrawList& draw = *ImGui::GetWindowDrawList();
        draw.AddRectFilled(at, {at.x + width, at.y + 0.45F * px},
                           ImGui::GetColorU32(style.palette.raised));
        draw.AddRectFilled(at, {at.x + width * share, at.y + 0.45F * px},
                           ImGui::GetColorU32(colour));
        draw.AddText(style.fonts.plain, 0.8F * px, {at.x + width + 0.4F * px, at.y - 0.2F * px},
                     ImGui::GetColorU32(style.palette.text), fmt::format("{}", votes(i)).c_str());
        ImGui::Dummy({1, 0.6F * px});
    }
    ImGui::EndTable();
}

// Guesses of a number: how many, and the one in the middle.
void numbers_guessed(const View& view, float px)
{
    const Giving& giving = view.document.giving;
    if (!view.ui.guess_text.empty())
        text(view.style.fonts.plain, px, view.style.palette.text,
             fmt::format("A guess: {}_ (Enter)", view.ui.guess_text));
    const auto found = giving.guesses.find(giving.beat);
    if (found == giving.guesses.end() || found->second.empty()) return;
    std::vector<double> sorted = found->second;
    std::ranges::sort(sorted);
    text(view.style.fonts.plain, px, view.style.palette.text,
         fmt::format("{}, the middle one {}", counted(sorted.size(), "guess"),
                     in_words(sorted[(sorted.size() - 1) / 2])));
}

void reveal(const View& view, const Beat& beat, const Answer* answer, float px)
{
    const PanelStyle& style = view.style;
    if (!answer) {
        const std::string problem = view.answers->problem(beat.reveal);
        text(style.fonts.plain, px, problem.empty() ? style.palette.quiet : style.palette.warning,
             problem.empty() ? "The program is finding it out …" : problem);
        return;
    }
    text(style.fonts.bold, 1.9F * px, style.palette.accent, in_words(answer->value));
    ImGui::SameLine(0, 0.5F * px);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 0.75F * px);
    text(style.fonts.plain, px, style.palette.text, unit_of(answer->value, beat.unit));
    text(style.fonts.plain, 0.93F * px, style.palette.quiet, answer->origin);
}

} // namespace

void leave_room_for_beat(const Document& document, const Interaction& ui, float em, Layout& layout)
{
    const Beat* const beat = document.giving.now();
    if (!beat || document.giving.card) return;
    const float px = text_px(document.look, em);
    const bool known = ui.band_of == beat && ui.band > 0;
    Area& above = layout.picture.empty() ? layout.bottom : layout.picture;
    const float whole = above.size.y + layout.number.size.y;
    const float height = std::round(std::min(known ? ui.band : 5 * px, most_of_window * whole));
    layout.number = {}; // what the beat reveals is the number now
    above.size.y = whole - height;
    layout.beat = {{above.at.x, above.at.y + above.size.y}, {above.size.x, height}};
    if (layout.code.empty() || layout.code.at.y > 0 || !layout.bottom.empty()) return;
    layout.code.size.y -= height; // the words stand below both
    layout.beat.size.x += layout.code.size.x;
    layout.beat.at.x = std::min(layout.beat.at.x, layout.code.at.x);
}

void beat_panel(const View& view, const Area& area)
{
    const Giving& giving = view.document.giving;
    const Beat& beat = *giving.now();
    const PanelStyle& style = view.style;
    const float px = text_px(view.document.look, style.em);
    const PanelScope panel("beat", area.at, area.size, ImGuiWindowFlags_NoFocusOnAppearing);
    const auto find = [&](const Formula& formula) { return view.answers->find(formula); };
    const Answer* const answer = beat.reveal.empty() ? nullptr : find(beat.reveal);
    const bool asked = !beat.question.empty();
    const float above = ImGui::GetCursorPosY();

    if (!ImGui::BeginTable("beat", asked ? 2 : 1)) return;
    ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch, 1.45F);
    if (asked) ImGui::TableSetupColumn("truth", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableNextColumn();
    text(style.fonts.plain, 0.93F * px, style.palette.quiet,
         fmt::format("{} / {}   {}", giving.beat + 1, giving.talk->beats.size(), beat.title));
    if (!beat.say.empty()) text(style.fonts.plain, px, style.palette.text, beat.say.filled(find));
    if (asked) {
        text(style.fonts.bold, px, style.palette.text, beat.question);
        const bool told = giving.revealed && answer;
        if (beat.choices.empty())
            numbers_guessed(view, px);
        else
            choices(view, beat, told ? beat.right(answer->value) : std::nullopt, px);
        ImGui::TableNextColumn();
        if (giving.revealed) {
            reveal(view, beat, answer, px);
            if (!beat.because.empty())
                text(style.fonts.plain, px, style.palette.text, beat.because.filled(find));
        }
    } else if (!beat.because.empty()) {
        text(style.fonts.plain, px, style.palette.text, beat.because.filled(find));
    }
    ImGui::EndTable();
    const float needed = ImGui::GetCursorPosY() + above;
    view.ui.band = view.ui.band_of == &beat ? std::max(view.ui.band, needed) : needed;
    view.ui.band_of = &beat;
}

} // namespace lanescope::app
