// Search over everything that the window can do or open: actions with their keys, variants, labs,
// presets, cards and lectures. With nothing typed it is the list of all keys.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "app/window/input/chords.h"
#include "app/window/input/focus.h"
#include "app/window/input/keys.h"
#include "app/window/panels/panels.h"
#include "assets/assets.h"

namespace lanescope::app {
namespace {

// A row of the list; choosing it runs `run`.
struct Offer {
    const char* kind;
    std::string title;
    std::string key;
    std::function<void(Commands&)> run;
};

// Titles of actions whose row of the key table shares its words with others.
constexpr auto own_titles = std::to_array<std::pair<std::string_view, const char*>>({
    {"next_beat", "lesson or lecture: next beat"},
    {"previous_beat", "lesson or lecture: previous beat"},
    {"next_preset", "next preset"},
    {"previous_preset", "previous preset"},
    {"next_lab", "next lab"},
    {"previous_lab", "previous lab"},
    {"stepping", "step through the launch, forwards and back"},
    {"undo", "undo"},
    {"redo", "redo"},
    {"map", "next heatmap"},
    {"previous_map", "previous heatmap"},
    {"map_of", "heatmap of loads, stores or atomics alone"},
    {"subject", "next subject: result, memory, request, exchange, lines"},
    {"result", "the result, and back to what the lab opens with"},
    {"nearer", "zoom in"},
    {"farther", "zoom out"},
    {"whole_picture", "the whole picture again"},
    {"left", "left: pan, rotate; another warp, buffer or block"},
    {"right", "right: pan, rotate; another warp, buffer or block"},
    {"up", "up: pan, rotate; another access"},
    {"down", "down: pan, rotate; another access"},
    {"previous_request", "previous request of the warp"},
    {"next_request", "next request of the warp"},
    {"paint", "paint at the centre of the picture"},
    {"erase", "erase at the centre of the picture"},
    {"compare", "A/B: compare with another variant"},
    {"difference", "A/B: difference of both results"},
    {"divider_left", "A/B: move the divider left"},
    {"divider_right", "A/B: move the divider right"},
    {"timings", "variants as bars: counts and times"},
    {"history", "history: the last ten seconds"},
    {"sweep", "sweep over sizes"},
    {"roofline", "roofline"},
    {"source", "source with its counts"},
    {"lesson", "lesson as text"},
    {"output", "printed output (printf)"},
    {"code_beside", "source beside the picture"},
    {"code_heat", "what the source's gutter counts"},
    {"find", "find in the source"},
    {"edit", "edit the kernel's source"},
    {"compile", "compile the edited kernel now"},
    {"next_complaint", "next compile error"},
    {"back", "previous version of the edited kernel"},
    {"compare_version", "A/B with the previous version"},
    {"versions", "all versions of the edited kernel"},
    {"program", "launches of the whole program"},
    {"run_program", "run the whole program"},
    {"picture", "save the picture as a PNG"},
    {"window_picture", "save the whole window as a PNG"},
    {"record", "record a video of the picture"},
    {"record_window", "record a video of the window"},
    {"save", "save the kernel's file, or the session"},
    {"open", "open a file: .cu, session, lecture, picture"},
    {"next_panel", "keyboard to the next panel"},
    {"previous_panel", "keyboard to the previous panel"},
    {"wider", "right panel wider"},
    {"narrower", "right panel narrower"},
    {"left_narrower", "left panel narrower"},
    {"left_wider", "left panel wider"},
    {"higher", "strip higher"},
    {"lower", "strip lower"},
    {"lecture", "projector: the picture alone"},
    {"give", "projector on (a clicker's key)"},
    {"text_larger", "zoom text in"},
    {"text_smaller", "zoom text out"},
    {"text_plain", "text at its normal size"},
    {"leave", "close what is open"},
    {"quit", "quit"},
});

std::string lower(std::string_view words)
{
    std::string low(words);
    std::ranges::transform(low, low.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return low;
}

// True if every word that was typed is somewhere in the offer.
bool is_found(const Offer& offer, const std::string& typed)
{
    const std::string all = lower(fmt::format("{} {} {}", offer.kind, offer.title, offer.key));
    std::string_view rest = typed;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (all.find(rest.substr(0, end)) == std::string::npos) return false;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return true;
}

// The first two of a row's chords, in words.
std::string keys_in_words(const KeyRow& row, const std::map<std::string, std::string>& own)
{
    const auto changed = own.find(row.action);
    std::string_view rest = changed == own.end() ? std::string_view(row.keys) : changed->second;
    std::string words;
    for (int shown = 0; shown < 2 && !rest.empty(); ++shown) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        words += (words.empty() ? "" : ", ") + words_of(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

void add_actions(const View& view, std::vector<Offer>& all)
{
    const bool steps = view.document.look.step.on;
    for (const KeyRow& row : key_table()) {
        const std::string_view action = row.action;
        const bool of_question = action.starts_with("answer") || action == "blank";
        const bool numbered = action == "variant" || action == "compare_with";
        if (of_question || numbered || action == "help") continue;
        if (action.starts_with("step_") && (!steps || *row.words == '\0')) continue;
        const auto own =
            std::ranges::find(own_titles, action, &std::pair<std::string_view, const char*>::first);
        if (own == own_titles.end() && *row.words == '\0') continue;
        all.push_back({"action", own == own_titles.end() ? row.words : own->second,
                       keys_in_words(row, view.document.keys), [view, &row](Commands& out) {
                           row.press({view.document, view.frame, view.ui, 1}, out);
                       }});
    }
}

void add_experiments(const View& view, std::vector<Offer>& all)
{
    const labs::Lab& now = view.document.lab();
    const auto rungs = now.rungs();
    for (std::size_t i = 0; i < rungs.size(); ++i)
        all.push_back({"variant", rungs[i]->title, i < 10 ? std::to_string((i + 1) % 10) : "",
                       [id = rungs[i]->id](Commands& out) { out.push_back(ChooseVariant{id}); }});
    for (std::size_t i = 0; i < now.presets.size(); ++i)
        all.push_back({"preset", now.presets[i].title, "",
                       [i](Commands& out) { out.push_back(ChoosePreset{i}); }});
    for (const labs::Lab* lab : labs::listed()) {
        all.push_back({"lab", fmt::format("{}: {}", lab->title, lab->question), "",
                       [place = lab->place](Commands& out) {
                           out.push_back(ChooseLab{place, {}});
                       }});
        if (lab->place == now.origin()) continue;
        for (const labs::Preset& preset : lab->presets)
            all.push_back(
                {"preset", fmt::format("{}: {}", lab->title, preset.title), "",
                 [&ui = view.ui, place = lab->place, title = preset.title](Commands& out) {
                     ui.palette.preset_lab = place;
                     ui.palette.preset = title;
                     out.push_back(ChooseLab{place, {}});
                 }});
    }
}

void add_texts(const View& view, std::vector<Offer>& all)
{
    constexpr std::string_view lectures = "assets/lectures/";
    for (const assets::File& file : assets::files()) {
        if (!file.path.starts_with(lectures)) continue;
        constexpr std::string_view key = "\nlecture: ";
        const std::size_t at = file.bytes.find(key);
        if (at == std::string_view::npos) continue;
        const std::string_view title = file.bytes.substr(at + key.size());
        all.push_back(
            {"lecture", std::string(title.substr(0, title.find('\n'))), "",
             [path = std::string(file.path)](Commands& out) { out.push_back(OpenFile{path}); }});
    }
    const auto cards = cards_for(view.document.lab());
    for (std::size_t i = 0; i < cards.all.size(); ++i)
        all.push_back({"card", cards.all[i]->claim, i == 0 ? "K" : "", [i](Commands& out) {
                           out.push_back(ShowCards{true, i});
                       }});
}

std::vector<Offer> offers_of(const View& view, const std::string& typed)
{
    std::vector<Offer> all;
    add_actions(view, all);
    add_experiments(view, all);
    add_texts(view, all);
    std::erase_if(all, [&](const Offer& offer) { return !is_found(offer, typed); });
    // Titles that begin with the typed words come first.
    std::ranges::stable_partition(all, [&](const Offer& offer) {
        return !typed.empty() && lower(offer.title).starts_with(typed);
    });
    return all;
}

// One row: what it is, its title, and its key at the right. Returns true if it was clicked.
bool draw_offer(const PanelStyle& style, const Offer& offer, bool chosen)
{
    const float em = style.em;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool clicked = ImGui::Selectable("##offer", chosen, 0, {width, 1.3F * em});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float key = width_of(style.fonts.bold, em, offer.key);
    const float left = 5 * em;
    draw_words(draw, {style.fonts.plain, 0.93F * em, style.palette.quiet}, {at.x + 0.3F * em, at.y},
               offer.kind);
    draw_words(draw, {style.fonts.plain, em, style.palette.text}, {at.x + left, at.y},
               with_ellipsis(offer.title, width - left - key - 1.5F * em));
    draw_words(draw, {style.fonts.bold, em, style.palette.accent},
               {at.x + width - key - 0.5F * em, at.y}, offer.key);
    return clicked;
}

void move_choice(PaletteInput& input, std::size_t count)
{
    const auto by = [&](ImGuiKey key, int step) {
        if (!ImGui::IsKeyPressed(key)) return;
        const auto last = static_cast<std::ptrdiff_t>(count) - 1;
        input.chosen = static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(input.chosen) + step, 0,
                                       std::max<std::ptrdiff_t>(last, 0)));
        input.moved = true;
    };
    by(ImGuiKey_DownArrow, 1);
    by(ImGuiKey_UpArrow, -1);
    by(ImGuiKey_PageDown, 10);
    by(ImGuiKey_PageUp, -10);
}

// Applies the preset of another lab once that lab is open.
void choose_awaited_preset(const View& view, Commands& out)
{
    PaletteInput& input = view.ui.palette;
    if (input.preset.empty() || view.document.wanted || view.frame.opening) return;
    const labs::Lab& lab = view.document.lab();
    if (lab.origin() == input.preset_lab) {
        const auto found = std::ranges::find(lab.presets, input.preset, &labs::Preset::title);
        if (found != lab.presets.end())
            out.push_back(ChoosePreset{static_cast<std::size_t>(found - lab.presets.begin())});
    }
    input.preset.clear();
}

} // namespace

void palette_panel(const View& view, Commands& out)
{
    PaletteInput& input = view.ui.palette;
    choose_awaited_preset(view, out);
    if (!view.document.help) {
        input.was_open = false;
        return;
    }
    const PanelStyle& style = view.style;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const PanelScope panel("help", {0, 0}, size, 0, true);
    const ImVec2 box{std::min(ImGui::GetContentRegionAvail().x, 44 * style.em), 0};
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), (size.x - box.x) / 2));
    ImGui::BeginChild("column", box);
    if (!input.was_open) {
        input.text.clear();
        input.chosen = 0;
        input.was_open = true;
        ImGui::SetWindowFocus();
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-FLT_MIN);
    const bool entered =
        ImGui::InputTextWithHint("##search", "find an action, lab, preset, card or lecture",
                                 &input.text, ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemEdited()) input.chosen = 0;
    const auto offers = offers_of(view, lower(input.text));
    move_choice(input, offers.size());
    std::optional<std::size_t> run;
    if (entered && input.chosen < offers.size()) run = input.chosen;
    const bool closed = input.text == "?"; // the key that opened it
    const float foot = 1.6F * style.em;
    ImGui::BeginChild("offers", {0, -foot});
    if (offers.empty()) quiet_text(style, "Nothing is called that.");
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const IdScope id(std::to_string(i));
        if (draw_offer(style, offers[i], i == input.chosen)) run = i;
        if (input.moved && i == input.chosen) ImGui::SetScrollHereY();
    }
    input.moved = false;
    ImGui::EndChild();
    const std::string words = "↑ ↓ and Enter choose, Esc closes.";
    quiet_text(style, with_ellipsis(view.ui.manual.empty()
                                        ? words
                                        : words + "  Manual: " + view.ui.manual.string(),
                                    ImGui::GetContentRegionAvail().x));
    ImGui::EndChild();
    if (run || closed) {
        out.push_back(ShowHelp{false});
        go_to_picture(view.ui);
    }
    if (run) offers[*run].run(out);
}

} // namespace lanescope::app
