// The lab's name in the bar; it opens the list of all labs, by topic, which typing searches.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/window/dialogues/search.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// Topics by the first `order` of their labs (assets/manual/lab-record.md).
struct Topic {
    int first_order;
    const char* title;
};
constexpr std::array topics{
    Topic{-1000000, "First kernels"},       Topic{20, "Memory accesses and branches"},
    Topic{50, "Tiles and registers"},       Topic{60, "Work shared by threads"},
    Topic{70, "Occupancy and latency"},     Topic{74, "Mistakes"},
    Topic{76, "Streams, devices, launches"}};

std::string topic_of(const labs::Lab& lab)
{
    if (lab.place != lab.id) return "Your own"; // opened from a file
    const char* found = "";
    for (const Topic& topic : topics)
        if (lab.order >= topic.first_order) found = topic.title;
    return found;
}

// All listed labs, plus the current one if it is not among them.
std::vector<const labs::Lab*> listed(const labs::Lab& shown)
{
    auto all = labs::listed();
    if (std::ranges::find(all, shown.origin(), &labs::Lab::place) == all.end())
        all.push_back(&shown);
    return all;
}

// A lab's title and the question that it answers.
bool lab_entry(const PanelStyle& style, const labs::Lab& lab, bool chosen, float questions_at)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = questions_at + width_of(style.fonts.plain, 0.93F * style.em, lab.question);
    const bool clicked = ImGui::Selectable("##lab", chosen, 0, {width, 1.3F * style.em});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec4 colour = chosen ? style.palette.accent : style.palette.text;
    draw_words(draw, {style.fonts.bold, style.em, colour}, {at.x, at.y + 0.15F * style.em},
               lab.title);
    draw_words(draw, {style.fonts.plain, 0.93F * style.em, style.palette.quiet},
               {at.x + questions_at, at.y + 0.2F * style.em}, lab.question);
    return clicked;
}

// Returns the lab to open; null: none was chosen.
const labs::Lab* entries(const View& view, const std::string& typed, bool entered)
{
    const PanelStyle& style = view.style;
    const labs::Lab& shown = view.document.lab();
    std::vector<const labs::Lab*> found;
    for (const labs::Lab* lab : listed(shown))
        if (match_rank(lab->title + ' ' + lab->id + ' ' + lab->question + ' ' + topic_of(*lab),
                       typed) > 0)
            found.push_back(lab);
    float titles = 0;
    for (const labs::Lab* lab : found)
        titles = std::max(titles, width_of(style.fonts.bold, style.em, lab->title));
    const labs::Lab* chosen = nullptr;
    std::string topic;
    for (const labs::Lab* lab : found) {
        if (topic != topic_of(*lab)) quiet_text(style, topic = topic_of(*lab));
        const IdScope id(lab->place);
        const bool current = lab->place == shown.origin();
        if (lab_entry(style, *lab, current, titles + style.em)) chosen = lab;
    }
    if (found.empty()) quiet_text(style, "No lab matches. ? searches everything.");
    return entered && !typed.empty() && !found.empty() && !chosen ? found.front() : chosen;
}

} // namespace

float lab_list_width(const View& view)
{
    const PanelStyle& style = view.style;
    return width_of(style.fonts.bold, style.em, view.document.lab().title) + 1.7F * style.em;
}

void lab_list(const View& view, float width, Commands& out)
{
    const PanelStyle& style = view.style;
    const labs::Lab& shown = view.document.lab();
    std::string title = shown.title;
    while (!title.empty() && width_of(style.fonts.bold, style.em, title) + 1.6F * style.em > width)
        title.resize(title.rfind(' ') == std::string::npos ? 0 : title.rfind(' '));
    if (title.empty()) title = "…";
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * style.em, 0.15F * style.em});
    ImGui::PushFont(style.fonts.bold, style.em);
    ImGui::SetNextItemWidth(width);
    const bool open = ImGui::BeginCombo(
        "##labs", title.c_str(), ImGuiComboFlags_HeightLargest | ImGuiComboFlags_NoArrowButton);
    ImGui::PopFont();
    ImGui::PopStyleVar();
    if (!open)
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {at.x + width - 0.9F * style.em, at.y + 0.55F * style.em},
            {at.x + width - 0.3F * style.em, at.y + 0.55F * style.em},
            {at.x + width - 0.6F * style.em, at.y + 0.9F * style.em},
            ImGui::GetColorU32(style.palette.quiet));
    if (!open) {
        view.ui.places["bar labs"] = item_centre();
        describe_item(view, shown.question, "Ctrl PageDown: the next lab");
        return;
    }
    std::string& typed = view.ui.lab_typed;
    if (ImGui::IsWindowAppearing()) {
        typed.clear();
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-FLT_MIN);
    const bool entered = ImGui::InputTextWithHint("##search", "search", &typed,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    if (const labs::Lab* const lab = entries(view, typed, entered)) {
        if (lab->place != shown.origin()) out.push_back(ChooseLab{lab->place, {}});
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndCombo();
}

} // namespace lanescope::app
