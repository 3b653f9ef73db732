// An open question beside the kernel that it is about, legible from the back of a hall: the
// question in the middle, a card for each choice with its letter and its number of votes, and the
// time left.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/lessons/answers.h"
#include "app/lessons/talk.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// Sizes relative to an area 720 high.
constexpr float question_size = 42;
constexpr float sentence_size = 26;
constexpr float max_choice = 78;
constexpr float letter_size = 34;
constexpr float min_text = 20;
constexpr float card_height = 190;
constexpr float max_card_width = 430;
constexpr float padding = 26;
constexpr float gap = 28;

struct Cards {
    int columns = 1;
    int rows = 1;
    float width = 0;
    float height = 0;
    float text = 0; // text size of the choices
};

float lines_height(const std::string& lines, float size)
{
    return lines.empty() ? 0
                         : size * 1.22F * static_cast<float>(1 + std::ranges::count(lines, '\n'));
}

// Chooses the number of columns that allows the largest choices.
Cards divide(const View& view, const Beat& beat, float width, float unit)
{
    ImFont* const font = view.style.fonts.bold;
    const auto count = static_cast<int>(beat.choices.size());
    Cards best;
    for (int columns = count; columns >= 1; --columns) {
        Cards cards{columns, (count + columns - 1) / columns};
        cards.width = std::min((width - gap * unit * static_cast<float>(columns - 1)) /
                                   static_cast<float>(columns),
                               max_card_width * unit);
        cards.height = card_height * unit * (cards.rows > 1 ? 0.72F : 1);
        const float room = cards.width - 2 * padding * unit;
        const float high = cards.height - (letter_size + 6 + 2.2F * min_text) * unit;
        const auto fits = [&](float size) {
            return std::ranges::all_of(beat.choices, [&](const Choice& one) {
                const std::string lines = broken_into_lines(font, size, one.text, room);
                return width_of(font, size, lines) <= room && lines_height(lines, size) <= high;
            });
        };
        for (cards.text = max_choice * unit; cards.text > min_text * unit; cards.text *= 0.94F)
            if (fits(cards.text)) break;
        if (cards.text > 1.15F * best.text) best = cards;
    }
    return best;
}

// Draws each line centred in the area's width; returns the y coordinate of the next line.
float centred(const Writing& writing, const Area& area, float top, std::string_view lines)
{
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = lines.substr(0, end);
        const float width = width_of(writing.font, writing.size_px, line);
        const float x = area.at.x + (area.size.x - width) / 2;
        draw_words(draw, writing, {std::round(x), std::round(top)}, line);
        top += writing.size_px * 1.22F;
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return top;
}

// Layout of the question's text and cards in the largest unit in which all of them fit.
struct Question {
    float unit = 0; // pixels: 1/720 of the height or 1/520 of the width, or less
    Cards cards{};
    std::string say{};
    std::string question{};
    float high = 0;
};

// Number of votes, at the card's lower edge.
void tally(const View& view, std::size_t choice, const Area& card, float unit)
{
    const PanelStyle& style = view.style;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float inner = padding * unit;
    const std::vector<int> votes = view.document.presentation.current_votes();
    const int all = std::accumulate(votes.begin(), votes.end(), 0);
    const float bar = card.at.y + card.size.y - 0.75F * inner;
    const float high = 9 * unit;
    const float share = all > 0 ? static_cast<float>(votes[choice]) / static_cast<float>(all) : 0;
    const ImVec2 from{card.at.x + inner, bar - high};
    const float wide = card.size.x - 2 * inner;
    draw.AddRectFilled(from, {from.x + wide, bar}, ImGui::GetColorU32(style.palette.raised),
                       high / 2);
    if (share > 0)
        draw.AddRectFilled(from, {from.x + wide * share, bar},
                           ImGui::GetColorU32(style.palette.accent), high / 2);
    if (all == 0) return;
    const std::string count = fmt::format("{}", votes[choice]);
    const float size = min_text * unit;
    draw_words(draw, {style.fonts.plain, size, style.palette.text},
               {from.x + wide - width_of(style.fonts.plain, size, count), from.y - 1.2F * size},
               count);
}

void card(const View& view, std::size_t choice, ImVec2 at, const Question& fit, Commands& out)
{
    const PanelStyle& style = view.style;
    const Cards& cards = fit.cards;
    const float unit = fit.unit;
    const Beat& beat = *view.document.presentation.now();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    ImGui::SetCursorScreenPos(at);
    const std::string letter(1, letter_of(choice));
    const IdScope id(letter);
    if (ImGui::InvisibleButton("choice", {cards.width, cards.height}))
        out.push_back(Vote{choice, false});
    const bool pointed = ImGui::IsItemHovered();
    const ImVec2 end{at.x + cards.width, at.y + cards.height};
    draw.AddRectFilled(at, end,
                       ImGui::GetColorU32(pointed ? style.palette.raised : style.palette.panel),
                       8 * unit);
    draw.AddRect(at, end, ImGui::GetColorU32(style.palette.line), 8 * unit);
    const float inner = padding * unit;
    draw_words(draw, {style.fonts.bold, letter_size * unit, style.palette.accent},
               {at.x + inner, at.y + 0.6F * inner}, letter);
    const std::string lines = broken_into_lines(style.fonts.bold, cards.text,
                                                beat.choices[choice].text, cards.width - 2 * inner);
    const float top = at.y + (letter_size + 6) * unit;
    const float bottom = end.y - 2 * min_text * unit;
    centred({style.fonts.bold, cards.text, style.palette.text}, {at, {cards.width, cards.height}},
            top + std::max(0.0F, (bottom - top - lines_height(lines, cards.text)) / 2), lines);
    tally(view, choice, {at, {cards.width, cards.height}}, unit);
}

// The time left, as a shrinking bar and in seconds.
void countdown(const View& view, const Beat& beat, const Area& area, float top, float unit)
{
    const PanelStyle& style = view.style;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const double passed = ImGui::GetTime() - view.ui.asked_s;
    const double left = std::max(0.0, beat.countdown_s - passed);
    const float wide = 0.5F * area.size.x;
    const float x = area.at.x + (area.size.x - wide) / 2;
    const float high = 8 * unit;
    draw.AddRectFilled({x, top}, {x + wide, top + high}, ImGui::GetColorU32(style.palette.raised),
                       high / 2);
    const auto share = static_cast<float>(left / beat.countdown_s);
    if (share > 0)
        draw.AddRectFilled({x, top}, {x + wide * share, top + high},
                           ImGui::GetColorU32(style.palette.accent), high / 2);
    centred({style.fonts.bold, sentence_size * unit,
             left > 0 ? style.palette.text : style.palette.warning},
            area, top + 2 * high,
            left > 0 ? fmt::format("{:.0f} s", std::ceil(left)) : std::string("Time is up"));
}

Question fitted_question(const View& view, const Beat& beat, const Area& area, float header)
{
    const PanelStyle& style = view.style;
    const auto find = [&](const Formula& formula) { return view.answers->find(formula); };
    const std::string intro = beat.say.empty() ? "" : beat.say.filled(find);
    const std::string asked = beat.question.filled(find);
    Question fit;
    float& unit = fit.unit;
    unit = std::min(area.size.y / 720, area.size.x / 520);
    for (int tries = 0; tries < 12; ++tries, unit *= 0.92F) {
        const float room = area.size.x - 4 * padding * unit;
        fit.say = broken_into_lines(style.fonts.plain, sentence_size * unit, intro, room);
        fit.question = broken_into_lines(style.fonts.bold, question_size * unit, asked, room);
        fit.cards = beat.choices.empty() ? Cards{} : divide(view, beat, room, unit);
        const auto rows = static_cast<float>(beat.choices.empty() ? 0 : fit.cards.rows);
        fit.high = lines_height(fit.say, sentence_size * unit) +
                   lines_height(fit.question, question_size * unit) +
                   rows * (fit.cards.height + gap * unit) + (fit.say.empty() ? 2 : 3) * gap * unit +
                   (beat.countdown_s > 0 ? 2.4F * sentence_size * unit : 0) + 1.3F * style.em;
        if (fit.high <= area.size.y - header) break;
    }
    return fit;
}

// Row by row, each row centred.
void draw_cards(const View& view, const Question& fit, const Area& area, float top, Commands& out)
{
    const Cards& cards = fit.cards;
    const float apart = gap * fit.unit;
    const auto count = static_cast<int>(view.document.presentation.now()->choices.size());
    for (int i = 0; i < count; ++i) {
        const int column = i % cards.columns;
        const int row = i / cards.columns;
        const int in_row = std::min(cards.columns, count - row * cards.columns);
        const float wide =
            static_cast<float>(in_row) * cards.width + static_cast<float>(in_row - 1) * apart;
        const float x = std::round(area.at.x + (area.size.x - wide) / 2 +
                                   static_cast<float>(column) * (cards.width + apart));
        const float y = std::round(top + static_cast<float>(row) * (cards.height + apart));
        card(view, static_cast<std::size_t>(i), {x, y}, fit, out);
    }
}

} // namespace

char letter_of(std::size_t choice)
{
    return static_cast<char>('A' + choice);
}

std::string place_of(const Presentation& presentation)
{
    return fmt::format("{} / {}   {}", presentation.beat + 1, presentation.talk->beats.size(),
                       presentation.now()->title);
}

void question_panel(const View& view, const Area& whole, Commands& out)
{
    const Presentation& presentation = view.document.presentation;
    const Beat& beat = *presentation.now();
    const PanelStyle& style = view.style;
    if (view.ui.question_of != &beat) {
        view.ui.question_of = &beat;
        view.ui.asked_s = ImGui::GetTime();
    }
    ImGui::PushStyleColor(ImGuiCol_WindowBg, style.palette.background);
    const PanelScope panel("question", whole.at, whole.size,
                           ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleColor();
    const Area area = beside_question_source(view, whole);
    const float header = 2.2F * style.em;
    const Question fit = fitted_question(view, beat, area, header);
    const float unit = fit.unit;
    const auto in_one_line = [&](const std::string& words) {
        return Writing{style.fonts.plain,
                       fitting(style.fonts.plain, style.em, words, area.size.x - 2 * style.em),
                       style.palette.quiet};
    };
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const std::string place = place_of(presentation);
    draw_words(draw, in_one_line(place), {whole.at.x + style.em, whole.at.y + 0.7F * style.em},
               place);
    float y = area.at.y + header + std::max(0.0F, (area.size.y - header - fit.high) / 2);
    if (!fit.say.empty())
        y = centred({style.fonts.plain, sentence_size * unit, style.palette.text}, area, y,
                    fit.say) +
            gap * unit;
    y = centred({style.fonts.bold, question_size * unit, style.palette.text}, area, y,
                fit.question) +
        gap * unit;
    draw_cards(view, fit, area, y, out);
    if (!beat.choices.empty())
        y += static_cast<float>(fit.cards.rows) * (fit.cards.height + gap * unit);
    if (beat.countdown_s > 0) {
        countdown(view, beat, area, y, unit);
        y += 2.4F * sentence_size * unit;
    }
    const std::string hint = fmt::format(
        "{}PageDown reveals",
        beat.choices.empty() ? std::string()
                             : fmt::format("A to {} vote, ", letter_of(beat.choices.size() - 1)));
    centred(in_one_line(hint), area, y, hint);
}

} // namespace lanescope::app
