// See tabs.h.
#include "app/window/panels/tabs.h"

#include <algorithm>

namespace lanescope::app {
namespace {

constexpr float key_size = 0.8F; // of the title's

float width_of(const PanelStyle& style, const Tab& tab, float em)
{
    const auto text = [](ImFont* font, float size, const char* words) {
        return font->CalcTextSizeA(size, FLT_MAX, 0, words).x;
    };
    // Bold, so that nothing moves when it is chosen.
    return text(style.fonts.bold, em, tab.title) + 0.3F * em +
           text(style.fonts.plain, key_size * em, tab.key);
}

bool tab_button(const PanelStyle& style, const Tab& tab, float em, bool chosen)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const IdScope id(tab.id);
    const bool clicked = ImGui::InvisibleButton("tab", {width_of(style, tab, em), em * 1.3F});
    const ImVec4 colour = chosen                   ? style.palette.accent
                          : ImGui::IsItemHovered() ? style.palette.text
                                                   : style.palette.quiet;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    ImFont* const font = chosen ? style.fonts.bold : style.fonts.plain;
    draw.AddText(font, em, at, ImGui::GetColorU32(colour), tab.title);
    const float after = font->CalcTextSizeA(em, FLT_MAX, 0, tab.title).x;
    draw.AddText(style.fonts.plain, key_size * em,
                 {at.x + after + 0.3F * em, at.y + em * (1 - key_size)},
                 ImGui::GetColorU32(style.palette.quiet), tab.key);
    return clicked;
}

} // namespace

TabsClick tabs_panel(const PanelStyle& style, std::span<const Tab> tabs, bool exportable,
                     std::string& chosen)
{
    constexpr float gap = 1.1F;
    float wanted = 0;
    for (const Tab& tab : tabs) wanted += width_of(style, tab, 1) + gap;
    const float buttons = (exportable ? 5.6F : 0) + 2;
    const float room = ImGui::GetContentRegionAvail().x;
    const float em = style.em * std::clamp(room / (style.em * (wanted + buttons)), 0.6F, 1.0F);
    for (const Tab& tab : tabs) {
        if (tab_button(style, tab, em, chosen == tab.id)) chosen = tab.id;
        ImGui::SameLine(0, gap * em);
    }
    TabsClick click = TabsClick::none;
    const TextScope text(style.fonts.plain, em * 0.9F, style.palette.text);
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    ImGui::SameLine(right - buttons * em);
    if (exportable) {
        if (ImGui::SmallButton("Export (E)")) click = TabsClick::exports;
        ImGui::SameLine();
    }
    if (ImGui::SmallButton("×")) click = TabsClick::folds;
    return click;
}

} // namespace lanescope::app
