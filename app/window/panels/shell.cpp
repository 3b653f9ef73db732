// The frame of the window, the same for every lab: a bar at the top, the tabs of subjects above the
// picture, those of the strip below it, and a status line. Nothing has to be known to find it.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/document/subject.h"
#include "app/document/tabs.h"
#include "app/draw/maps.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/lessons/talk.h"
#include "app/window/follow.h"
#include "app/window/input/keys.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

constexpr float key_size = 0.93F; // relative to the title
constexpr float word_gap_em = 1.1F;

float word_width(const PanelStyle& style, const RowWord& word, bool with_key)
{
    // Measured in bold, so that nothing moves when the word is chosen.
    const float title = width_of(style.fonts.bold, style.em, word.title);
    if (!with_key || word.key.empty()) return title;
    return title + 0.3F * style.em + width_of(style.fonts.plain, key_size * style.em, word.key);
}

// A fixed line of the window without a scroll bar.
class LineScope {
public:
    LineScope(const PanelStyle& style, const char* name, const Area& area, float above_em)
        : panel_(padded(style, above_em, name), area.at, area.size,
                 ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                     ImGuiWindowFlags_NoFocusOnAppearing)
    {
        ImGui::PopStyleVar(2);
    }

private:
    static const char* padded(const PanelStyle& style, float above_em, const char* name)
    {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                            {0.8F * style.em, std::round(above_em * style.em)});
        return name;
    }

    PanelScope panel_;
};

// Does what the key of this action does.
void press(const View& view, std::string_view action, Commands& out)
{
    for (const KeyRow& row : key_table())
        if (row.action == action) row.press({view.document, view.frame, view.ui, 1}, out);
}

// The bar's words, in the order in which they are left out of a narrow window.
std::vector<RowWord> bar_words(const View& view)
{
    const Document& document = view.document;
    const Presentation& presentation = document.presentation;
    const bool compares = !document.look.compare.empty();
    const bool runs = !document.paused && !document.look.step.on;
    std::vector<RowWord> words{
        {"open", "Open…", "Ctrl O",
         "a session, a lecture, a picture, your own kernel or program (.cu)"},
        {"next_beat",
         presentation.talk
             ? fmt::format("Lesson {} / {}", presentation.beat + 1, presentation.talk->beats.size())
             : "Lesson",
         "PageDown", "the lesson, one question or picture at a time; PageUp goes back",
         presentation.talk != nullptr}};
    if (document.lab().variants.size() > 1)
        words.push_back({"compare", "A/B", "A",
                         "two variants side by side; Shift and a digit choose the other one",
                         compares});
    words.push_back({"pause", runs ? "Pause" : "Run", "Space",
                     runs ? "stop stepping; . makes a single step" : "continue stepping", !runs});
    words.push_back({"restart", "Restart", "Home", "begin again at step 0"});
    words.push_back({"lecture", "Projector", "F", "the picture alone, with larger text"});
    words.push_back({"help", "Find", "?",
                     "search actions and their keys, labs, presets, cards and lectures",
                     document.help});
    return words;
}

// Leaves out words, the least needed first, until the rest fits.
void keep_what_fits(const View& view, std::vector<RowWord>& words, float room)
{
    for (const char* const id : {"restart", "lecture", "pause", "compare", "open", "next_beat"})
        if (row_width(view, words, false) > room)
            std::erase_if(words, [&](const RowWord& word) { return word.id == id; });
}

} // namespace

bool word_button(const View& view, const RowWord& word, bool with_key)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const IdScope id(word.id);
    const bool clicked = ImGui::InvisibleButton(
        "word", {word_width(style, word, with_key), em * 1.3F}, ImGuiButtonFlags_EnableNav);
    view.ui.places["word " + word.id] = item_centre();
    const bool pointed = ImGui::IsItemHovered();
    if (pointed && !word.explained.empty()) view.ui.status = {{word.key, word.explained}};
    const bool lit = word.chosen || pointed;
    const ImVec4 colour = lit ? style.palette.accent : style.palette.text;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    ImFont* const font = word.chosen ? style.fonts.bold : style.fonts.plain;
    draw_words(draw, {font, em, colour}, at, word.title);
    if (word.chosen)
        draw.AddRectFilled({at.x, at.y + 1.22F * em},
                           {at.x + width_of(font, em, word.title), at.y + 1.3F * em},
                           ImGui::GetColorU32(style.palette.accent));
    if (with_key && !word.key.empty())
        draw_words(draw, {style.fonts.plain, key_size * em, style.palette.text},
                   {at.x + width_of(font, em, word.title) + 0.3F * em, at.y + em * (1 - key_size)},
                   word.key);
    return clicked;
}

float row_width(const View& view, const std::vector<RowWord>& words, bool with_keys)
{
    float width = 0;
    for (const RowWord& word : words)
        width += word_width(view.style, word, with_keys) + word_gap_em * view.style.em;
    return words.empty() ? 0 : width - word_gap_em * view.style.em;
}

std::string with_ellipsis(std::string words, float room)
{
    if (ImGui::CalcTextSize(words.c_str()).x <= room) return words;
    while (!words.empty() && ImGui::CalcTextSize((words + "…").c_str()).x > room) {
        do words.pop_back();
        while (!words.empty() && (static_cast<unsigned char>(words.back()) & 0xC0U) == 0x80U);
        if (!words.empty() && (static_cast<unsigned char>(words.back()) & 0x80U) != 0)
            words.pop_back();
    }
    return words + "…";
}

std::optional<std::size_t> word_row(const View& view, const char* id,
                                    const std::vector<RowWord>& words, float room)
{
    std::optional<std::size_t> clicked;
    if (words.empty()) return clicked;
    const bool with_keys = row_width(view, words, true) <= room;
    if (with_keys || row_width(view, words, false) <= room) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i > 0) ImGui::SameLine(0, word_gap_em * view.style.em);
            if (word_button(view, words[i], with_keys)) clicked = i;
        }
        return clicked;
    }
    const auto chosen = std::ranges::find_if(words, &RowWord::chosen);
    const std::string& shown = (chosen == words.end() ? words.front() : *chosen).title;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * view.style.em, 0.1F * view.style.em});
    const float width = std::min(room, 9 * view.style.em);
    ImGui::SetNextItemWidth(width);
    const float inner = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    if (ImGui::BeginCombo(id, with_ellipsis(shown, inner).c_str())) {
        for (std::size_t i = 0; i < words.size(); ++i)
            if (ImGui::Selectable(words[i].title.c_str(), words[i].chosen)) clicked = i;
        ImGui::EndCombo();
    }
    ImGui::PopStyleVar();
    return clicked;
}

void bar_panel(const View& view, const Area& area, Commands& out)
{
    const PanelStyle& style = view.style;
    const LineScope line(style, "bar", area, 0.22F);
    const float em = style.em;
    const float whole = ImGui::GetContentRegionAvail().x;
    const float narrowest = std::min(9 * em, 0.5F * whole);
    const float gap = word_gap_em * em;
    std::vector<RowWord> words = bar_words(view);
    keep_what_fits(view, words, whole - narrowest - gap);
    const bool with_keys = row_width(view, words, true) + narrowest + gap <= whole;
    const float taken = row_width(view, words, with_keys);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.45F * em, 0.14F * em});
    lab_list(view, std::clamp(whole - taken - gap, narrowest, std::max(narrowest, 18 * em)), out);
    ImGui::PopStyleVar();
    const float left = ImGui::GetCursorPosX();
    // The last two stand at the right.
    const std::size_t beside = words.size() > 2 ? words.size() - 2 : words.size();
    const std::vector<RowWord> last(words.begin() + static_cast<std::ptrdiff_t>(beside),
                                    words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i == beside)
            ImGui::SameLine(left + whole - row_width(view, last, with_keys), 0);
        else
            ImGui::SameLine(0, gap);
        ImGui::SetCursorPosY(std::round(0.32F * em));
        if (word_button(view, words[i], with_keys)) press(view, words[i].id, out);
    }
}

namespace {

// The heatmap, chosen where the subjects are.
void map_list(const View& view, float width, Commands& out)
{
    const Look& look = view.document.look;
    const auto& totals = view.frame.of(view.document.variant).totals;
    const float em = view.style.em;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * em, 0.06F * em});
    ImGui::SetNextItemWidth(width);
    const float inner = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    const std::string title =
        look.map == "off" ? "Heatmap: off (H)" : map_title(look.map, look.map_of);
    if (ImGui::BeginCombo("##heatmap", with_ellipsis(title, inner).c_str(),
                          ImGuiComboFlags_HeightLargest)) {
        for (const std::string& name : map_names()) {
            const bool drawn =
                map_problem(view.frame.a, name, totals ? &*totals : nullptr, look.map_of).empty();
            if (ImGui::Selectable(map_title(name).c_str(), name == look.map,
                                  drawn ? 0 : ImGuiSelectableFlags_Disabled))
                out.push_back(SetMap{name});
        }
        ImGui::EndCombo();
    }
    if (ImGui::IsItemHovered())
        view.ui.status = {
            {"H", "colour the result by what its warps cost: next, Shift H previous"}};
    ImGui::PopStyleVar();
}

} // namespace

void subject_tabs(const View& view, const Area& area, Commands& out)
{
    const LineScope line(view.style, "subjects", area, 0.12F);
    const Look& look = view.document.look;
    const float em = view.style.em;
    const auto all = subjects();
    std::vector<RowWord> words;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool first = i == 0;
        words.push_back({app::name(static_cast<Subject>(i)), all[i]->title, first ? "P" : "",
                         fmt::format("{} (M: the next tab)", all[i]->question),
                         !look.step.on && static_cast<std::size_t>(look.subject) == i});
    }
    words.push_back({"step", "Step", "I",
                     "through the launch, line by line, forwards and back: lanes, variables, warps",
                     look.step.on});
    const bool views =
        view.document.lab().views.size() > 1 && !look.step.on && look.subject == Subject::picture;
    if (views) words.push_back({"view", "View", "V", "another view of the result"});
    const float room = ImGui::GetContentRegionAvail().x;
    const bool maps = look.subject == Subject::picture && !look.step.on && view.frame.is_open();
    const float map =
        maps ? std::clamp(room - row_width(view, words, false) - em, 0.0F, 13 * em) : 0;
    const float left = ImGui::GetCursorPosX();
    const float top = ImGui::GetCursorPosY();
    const auto clicked = word_row(view, "##subjects", words, room - (map < 7 * em ? 0 : map + em));
    if (map >= 7 * em) {
        ImGui::SameLine(left + room - map, 0);
        ImGui::SetCursorPosY(top);
        map_list(view, map, out);
    }
    if (!clicked) return;
    const std::string& id = words[*clicked].id;
    if (id == "step") return press(view, "stepping", out);
    if (id == "view") return press(view, "view", out);
    if (look.step.on) out.push_back(StepMode{false});
    out.push_back(ShowSubject{static_cast<Subject>(*clicked)});
}

namespace {

bool is_filled(const View& view, const tabs::Tab& tab)
{
    const std::string_view id = tab.id;
    if (id == tabs::output) return view.ui.printed->bytes > 0;
    if (id == tabs::program) return view.ui.program.frame || !view.ui.program.offered.empty();
    return id != tabs::versions || !view.document.bench.versions.empty();
}

const char* explained(std::string_view tab)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 9> all{{
        {tabs::variants, "all variants as bars: counts, and times where there are some"},
        {tabs::source, "the kernel's source with the counts of each line; Ctrl E edits it"},
        {tabs::sweep, "the cost over a range of sizes or of block sizes"},
        {tabs::roofline, "each variant under the roofs of memory and arithmetic"},
        {tabs::history, "the last ten seconds"},
        {tabs::lesson, "what to look at, what to predict, and why it happens"},
        {tabs::versions, "each version of the edited kernel and what it cost"},
        {tabs::output, "what the kernel printed"},
        {tabs::program, "the launches, copies and findings of the whole program"},
    }};
    const auto found =
        std::ranges::find(all, tab, &std::pair<std::string_view, const char*>::first);
    return found == all.end() ? "" : found->second;
}

constexpr const char* cards_tab = "cards";

} // namespace

std::vector<RowWord> tab_words(const View& view, const std::string& chosen)
{
    std::vector<RowWord> words;
    for (const tabs::Tab& tab : tabs::all) {
        if (tab.hidden_if_empty && chosen != tab.id && !is_filled(view, tab)) continue;
        words.push_back({tab.id, tab.title, tab.key, explained(tab.id), chosen == tab.id});
    }
    words.push_back({cards_tab, "Cards", "K",
                     "claims of lecture notes, each decided by an experiment",
                     view.document.presentation.card.has_value()});
    return words;
}

void show_tab_word(const View& view, const RowWord& word, Commands& out)
{
    if (word.id == cards_tab)
        out.push_back(ShowCards{!view.document.presentation.card, 0});
    else
        out.push_back(ShowTab{word.id});
}

void strip_tabs(const View& view, const Area& area, Commands& out)
{
    const LineScope line(view.style, "tabs", area, 0.12F);
    const auto words = tab_words(view, "");
    if (const auto clicked = word_row(view, "##tabs", words, ImGui::GetContentRegionAvail().x))
        show_tab_word(view, words[*clicked], out);
}

std::vector<KeyWords> picture_keys(const View& view)
{
    const Document& document = view.document;
    const Look& look = document.look;
    if (look.step.on)
        return {{"W", "last write of what the mouse points at"},
                {"K", "breakpoint here"},
                {"G", "go to a line, warp or condition"},
                {"?", "all keys"}};
    switch (look.subject) {
    case Subject::memory:
        return {{"← →", "another buffer"}, {"Wheel", "zoom"}, {"Point", "who touched this sector"}};
    case Subject::request:
        return {{"← →", "another warp"},
                {"↑ ↓", "another access"},
                {"Shift ← →", "its other requests"},
                {"P", "the result"}};
    case Subject::tree:
        return {{"← →", "another warp"}, {"↑ ↓", "the warp or its block"}, {"P", "the result"}};
    case Subject::lines: return {{"C", "the source with its counts"}, {"P", "the result"}};
    case Subject::picture: break;
    }
    if (&shown_subject(look, document.lab()) != &picture_subject)
        return {{"Arrows", "another block"}, {"Shift ← →", "another load"}, {"P", "the result"}};
    std::vector<KeyWords> keys;
    if (document.lab().kind_of_view(look.view) == labs::ViewKind::surface)
        return {{"Drag", "rotate"}, {"Wheel", "nearer, farther"}, {"V", "flat"}};
    if (shows_fault(document, view.frame))
        return {{"G", "the fixed variant"}, {"C", "the source"}, {"I", "step to the fault"}};
    if (document.lab().paintable)
        keys.insert(keys.end(), {{"Drag", "paint"}, {"Right drag", "erase"}});
    if (view.ui.placement) keys.push_back({"Wheel", "zoom"});
    if (look.map == "off")
        keys.push_back({"H", "heatmap"});
    else
        keys.push_back({"Shift click", "this warp's request"});
    if (look.pan_zoom != render::PanZoom{}) keys.push_back({"Z", "the whole picture"});
    if (look.compare.empty())
        keys.push_back({"A", "compare"});
    else
        keys.push_back({"[ ]", "move the divider"});
    keys.push_back({"I", "step through the kernel"});
    return keys;
}

namespace {

std::vector<KeyWords> strip_keys(const View& view)
{
    const std::string& tab = view.document.look.panels.bottom_tab;
    if (tab == tabs::source)
        return {{"Ctrl E", "edit"},
                {"Ctrl F", "search"},
                {"Shift C", "beside the picture"},
                {"X", "larger"}};
    if (tab == tabs::lesson)
        return {{"PageDown", "the same as questions, one at a time"}, {"X", "larger"}};
    return {{"E", "save as figure and table"}, {"X", "larger"}, {"Esc", "smaller again"}};
}

std::vector<KeyWords> keys_under_mouse(const View& view, const Layout& layout)
{
    if (!view.ui.status.empty()) return view.ui.status;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (layout.bottom.contains(mouse)) return strip_keys(view);
    if (layout.code.contains(mouse))
        return {{"Ctrl E", "edit"},
                {"Ctrl F", "search"},
                {"Ctrl H", "what the gutter counts"},
                {"Shift C", "the other side"}};
    if (layout.right.contains(mouse) || layout.left.contains(mouse))
        return {{"1 – 9", "a variant"},
                {"N", "the next preset"},
                {"Ctrl click", "type a value"},
                {"F6", "use the keyboard here"}};
    if (layout.picture.empty()) return {{"?", "find anything"}};
    return picture_keys(view);
}

} // namespace

// Shows pairs of key and words, in order, until the next does not fit.
void status_line(const View& view, const Layout& layout)
{
    const PanelStyle& style = view.style;
    const Area& area = layout.status;
    const LineScope line(style, "status", area, 0.1F);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float em = key_size * style.em;
    const float y = area.at.y + 0.5F * (area.size.y - 1.2F * em);
    const float end = area.at.x + area.size.x - 0.8F * style.em;
    float x = area.at.x + 0.8F * style.em;
    draw.AddRectFilled(area.at, {area.at.x + area.size.x, area.at.y + 1},
                       ImGui::GetColorU32(style.palette.line));
    bool first = true;
    for (const KeyWords& one : keys_under_mouse(view, layout)) {
        const float key =
            width_of(style.fonts.bold, em, one.key) + (one.key.empty() ? 0 : 0.4F * em);
        const float room = end - x - key;
        const float words = width_of(style.fonts.plain, em, one.words);
        if (words > room && !first) break;
        draw_words(draw, {style.fonts.bold, em, style.palette.accent}, {x, y}, one.key);
        draw_words(draw, {style.fonts.plain, em, style.palette.text}, {x + key, y},
                   words > room ? with_ellipsis(one.words, room) : one.words);
        x += key + words + 1.4F * em;
        first = false;
    }
}

} // namespace lanescope::app
