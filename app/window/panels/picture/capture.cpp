// Settings of pictures and videos, the buttons that take them, and the folder.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// A drop-down list of half the panel's width.
template <class Value>
void pick(const char* id, float width, std::span<const std::pair<Value, const char*>> all,
          Value& chosen)
{
    const auto now = std::ranges::find(all, chosen, &std::pair<Value, const char*>::first);
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo(id, now == all.end() ? "" : now->second)) return;
    for (const auto& [value, title] : all)
        if (ImGui::Selectable(title, value == chosen)) chosen = value;
    ImGui::EndCombo();
}

constexpr std::pair<int, const char*> scales[] = {{1, "1×"}, {2, "2×"}, {3, "3×"}, {4, "4×"}};
constexpr std::pair<int, const char*> rates[] = {{30, "30 per second"}, {60, "60 per second"}};
constexpr std::pair<int, const char*> lengths[] = {
    {0, "until stopped"}, {5, "for 5 s"}, {10, "for 10 s"}, {30, "for 30 s"}};
const std::pair<std::string, const char*> formats[] = {
    {"mp4", "MP4"}, {"gif", "GIF"}, {"png", "PNGs"}};

} // namespace

void capture_panel(const View& view, Commands& out)
{
    heading(view.style, "Pictures and videos");
    if (ImGui::Button("Picture (S)")) out.push_back(Take{Taken::picture});
    ImGui::SameLine();
    if (ImGui::Button(view.ui.captures.recording ? "Stop (R)" : "Record (R)"))
        out.push_back(Take{Taken::recording});
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    CaptureChoice choice = view.document.look.capture;
    pick<int>("##scale", half, scales, choice.scale);
    ImGui::SameLine();
    pick<std::string>("##format", half, formats, choice.format);
    pick<int>("##rate", half, rates, choice.rate);
    ImGui::SameLine();
    pick<int>("##length", half, lengths, choice.seconds);
    if (choice != view.document.look.capture) out.push_back(SetCapture{choice});
    quiet_text(view.style, "with Shift: the whole window");
    quiet_text(view.style, "to the folder");
    ImGui::SetNextItemWidth(-FLT_MIN);
    // Holds the typed text until it is confirmed; then the document's text is shown again.
    std::string& typed = view.ui.folder_text;
    if (!view.ui.folder_typed) typed = view.document.folder.string();
    ImGui::InputText("##folder", &typed);
    view.ui.folder_typed = ImGui::IsItemActive();
    if (ImGui::IsItemDeactivatedAfterEdit()) out.push_back(SetFolder{typed});
}

} // namespace lanescope::app
