// See capture.h.
#include "app/window/panels/capture.h"

#include <fmt/format.h>

#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace lanescope::app {
namespace {

// A list of half the panel's width.
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
constexpr std::pair<int, const char*> rates[] = {{30, "30 a second"}, {60, "60 a second"}};
constexpr std::pair<int, const char*> lengths[] = {
    {0, "until R"}, {5, "for 5 s"}, {10, "for 10 s"}, {30, "for 30 s"}};
const std::pair<std::string, const char*> formats[] = {
    {"mp4", "MP4"}, {"gif", "GIF"}, {"png", "PNGs"}};

} // namespace

CaptureWishes capture_panel(const PanelStyle& style, CaptureChoice& choice, bool recording,
                            std::string& folder)
{
    CaptureWishes wishes;
    heading(style, "Pictures and videos");
    wishes.picture = ImGui::Button("Picture (S)");
    ImGui::SameLine();
    wishes.record = ImGui::Button(recording ? "Stop (R)" : "Record (R)");
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    pick<int>("##scale", half, scales, choice.scale);
    ImGui::SameLine();
    pick<std::string>("##format", half, formats, choice.format);
    pick<int>("##rate", half, rates, choice.rate);
    ImGui::SameLine();
    pick<int>("##length", half, lengths, choice.seconds);
    quiet_text(style, "with Shift: the whole window");
    quiet_text(style, "into the folder");
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputText("##folder", &folder);
    wishes.folder = ImGui::IsItemDeactivatedAfterEdit();
    return wishes;
}

} // namespace lanescope::app
