// The search over everything that can be done or opened: actions with their keys, variants, labs,
// presets, cards and lectures. Enter takes the highlighted entry.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "app/window/dialogues/search.h"
#include "app/window/input/keys.h"
#include "app/window/panels/panels.h"
#include "assets/assets.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

// Something to find, and what happens when it is chosen.
struct Find {
    const char* kind;
    std::string keys;
    std::string words;
    std::function<void(Commands&)> take;
    int rank = 1;
};

void add_actions(const View& view, std::vector<Find>& all)
{
    for (const KeyHelp& line : key_help(view.document.keys, view.document.look.step.on))
        all.push_back({"", line.keys, line.words, [&view, row = line.row](Commands& out) {
                           row->press({view.document, view.frame, view.ui, 1}, out);
                       }});
}

void add_labs(const View& view, std::vector<Find>& all)
{
    for (const labs::Variant* const variant : view.document.lab().rungs())
        all.push_back({"variant", "", variant->title,
                       [variant](Commands& out) { out.push_back(ChooseVariant{variant->id}); }});
    for (const labs::Lab* const lab : labs::listed())
        all.push_back({"lab", "", lab->title + ": " + lab->question, [lab](Commands& out) {
                           out.push_back(ChooseLab{lab->place, {}});
                       }});
}

void add_presets(const View& view, std::vector<Find>& all)
{
    for (const labs::Lab* const lab : labs::listed())
        for (std::size_t i = 0; i < lab->presets.size(); ++i)
            all.push_back({"preset", "", lab->title + ": " + lab->presets[i].title,
                           [&view, lab, i](Commands& out) {
                               view.ui.palette.preset_lab = lab->place;
                               view.ui.palette.preset = i;
                               if (view.document.lab().origin() != lab->place)
                                   out.push_back(ChooseLab{lab->place, {}});
                           }});
}

void add_lessons(const View& view, std::vector<Find>& all)
{
    const auto cards = cards_for(view.document.lab()).all;
    for (std::size_t i = 0; i < cards.size(); ++i)
        all.push_back({"card", "", cards[i]->claim, [i](Commands& out) {
                           out.push_back(ShowCards{true, i});
                       }});
    constexpr std::string_view folder = "assets/lectures/";
    for (const assets::File& file : assets::files()) {
        if (!file.path.starts_with(folder)) continue;
        constexpr std::string_view key = "lecture:"; // and the title, after comments
        std::string_view title = file.bytes;
        title.remove_prefix(std::min(title.find(key), title.size() - key.size()) + key.size());
        all.push_back(
            {"lecture", "", std::string(trimmed(title.substr(0, title.find('\n')))),
             [path = std::string(file.path)](Commands& out) { out.push_back(OpenFile{path}); }});
    }
}

// Everything that matches, best first.
std::vector<Find> found(const View& view, const std::string& typed)
{
    std::vector<Find> all;
    add_actions(view, all);
    add_labs(view, all);
    add_presets(view, all);
    add_lessons(view, all);
    for (Find& one : all)
        one.rank =
            std::max(match_rank(one.words, typed),
                     std::min(match_rank(one.words + ' ' + one.kind + ' ' + one.keys, typed), 1));
    std::erase_if(all, [](const Find& one) { return one.rank == 0; });
    if (!typed.empty()) std::ranges::stable_sort(all, std::ranges::greater(), &Find::rank);
    return all;
}

// Returns true if the row was clicked.
bool draw_found(const View& view, const Find& one, bool chosen, float words_at)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float left = one.kind[0] != '\0' ? 0 : words_at;
    const float room = std::max(1.0F, width - words_at);
    const std::string words = broken_into_lines(style.fonts.plain, em, one.words, room);
    const auto lines = static_cast<float>(1 + std::ranges::count(words, '\n'));
    const bool clicked =
        ImGui::Selectable("##found", chosen, 0, {width, (0.3F + 1.1F * lines) * em});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float top = at.y + 0.15F * em;
    if (left > 0) {
        const float px = fitting(style.fonts.bold, em, one.keys, words_at - 0.5F * em);
        draw_words(draw, {style.fonts.bold, px, style.palette.accent}, {at.x, top}, one.keys);
    } else {
        draw_words(draw, {style.fonts.plain, em, style.palette.quiet}, {at.x, top}, one.kind);
    }
    draw_words(draw, {style.fonts.plain, em, style.palette.text}, {at.x + words_at, top}, words);
    return clicked;
}

void close_palette(const View& view, Commands& out)
{
    view.ui.palette.open = false;
    out.push_back(ShowHelp{false});
}

// Moves the highlight with the arrow keys.
void move_chosen(PaletteState& state, int count)
{
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++state.chosen;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --state.chosen;
    state.chosen = std::clamp(state.chosen, 0, std::max(count - 1, 0));
}

// A preset of another lab is chosen once that lab is open.
void choose_pending_preset(const View& view, Commands& out)
{
    PaletteState& state = view.ui.palette;
    const labs::Lab& lab = view.document.lab();
    if (state.preset_lab.empty() || lab.origin() != state.preset_lab || view.document.wanted)
        return;
    if (state.preset < lab.presets.size()) out.push_back(ChoosePreset{state.preset});
    state.preset_lab.clear();
}

} // namespace

void palette_panel(const View& view, Commands& out)
{
    PaletteState& state = view.ui.palette;
    choose_pending_preset(view, out);
    const bool opens = view.document.help && !state.open;
    state.open = view.document.help;
    if (!state.open) return;
    const PanelStyle& style = view.style;
    const float em = style.em;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    // At least nearly as wide as the window, so that it does not cut through words behind it.
    const ImVec2 box{std::min(size.x, std::max(63 * em, 0.95F * size.x)),
                     std::min(size.y, 30 * em)};
    const ImVec2 at{(size.x - box.x) / 2, (size.y - box.y) / 4};
    const PanelScope panel("search", at, box, 0, true);
    if (opens) {
        state.typed.clear();
        state.chosen = 0;
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-FLT_MIN);
    const bool entered = ImGui::InputTextWithHint("##typed", "search", &state.typed,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemEdited()) state.chosen = 0;
    const auto all = found(view, state.typed);
    move_chosen(state, static_cast<int>(all.size()));
    if (!view.ui.manual.empty()) quiet_text(style, "Manual: " + view.ui.manual.string());
    ImGui::BeginChild("found");
    const float words_at = std::min(12 * em, 0.3F * ImGui::GetContentRegionAvail().x);
    const Find* taken = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const IdScope id(std::to_string(i));
        const bool chosen = static_cast<int>(i) == state.chosen;
        if (draw_found(view, all[i], chosen, words_at)) taken = &all[i];
        if (chosen && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
        if (chosen && entered && !state.typed.empty()) taken = &all[i];
    }
    if (all.empty()) quiet_text(style, "Nothing matches.");
    ImGui::EndChild();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool outside =
        ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !Area{at, box}.contains(mouse);
    // The key that opened the list closes it.
    const bool again = state.typed == "?";
    if (taken || outside || again || ImGui::IsKeyPressed(ImGuiKey_Escape, false))
        close_palette(view, out);
    if (taken) taken->take(out);
}

} // namespace lanescope::app
