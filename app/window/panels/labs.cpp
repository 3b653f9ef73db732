// Labs and rungs; the chosen variant says its idea.
#include <fmt/format.h>
#include <imgui.h>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// A row over the whole width: a small key or number, then the title; the chosen one in the accent
// colour.
bool rung(const PanelStyle& style, int number, const labs::Variant& variant, bool chosen)
{
    const IdScope id(variant.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = style.em * 1.75F;
    const bool clicked = ImGui::Selectable("##rung", chosen, 0, {width, height});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 back = ImGui::GetColorU32(chosen ? style.palette.accent : style.palette.raised);
    const ImU32 ink = ImGui::GetColorU32(chosen ? style.palette.on_accent : style.palette.quiet);
    const float box = style.em * 1.2F;
    const ImVec2 corner{at.x + style.em * 0.2F, at.y + (height - box) / 2};
    draw.AddRectFilled(corner, {corner.x + box, corner.y + box}, back, style.em * 0.2F);
    const std::string key = std::to_string(number);
    const ImVec2 size = style.fonts.bold->CalcTextSizeA(style.em * 0.85F, FLT_MAX, 0, key.c_str());
    draw.AddText(style.fonts.bold, style.em * 0.85F,
                 {corner.x + (box - size.x) / 2, corner.y + (box - size.y) / 2}, ink, key.c_str());
    draw.AddText(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                 {corner.x + box + style.em * 0.5F, at.y + (height - style.em) / 2},
                 ImGui::GetColorU32(style.palette.text), variant.title.c_str());
    return clicked;
}

} // namespace

void labs_panel(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    for (const labs::Lab& one : labs::all()) {
        const bool chosen = one.id == view.document.start.lab;
        const IdScope id(one.id);
        {
            const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                                 style.palette.text);
            if (ImGui::Selectable(one.title.c_str(), false) && !chosen)
                out.push_back(ChooseLab{one.id, {}});
        }
        if (!chosen) continue;
        for (std::size_t i = 0; i < one.variants.size(); ++i) {
            const labs::Variant& variant = one.variants[i];
            const bool shown = variant.id == view.document.variant;
            if (rung(style, static_cast<int>(i) + 1, variant, shown) && !shown)
                out.push_back(ChooseVariant{variant.id});
            if (shown) quiet_text(style, variant.idea);
        }
        ImGui::Dummy({0, style.em * 0.4F});
    }
}

} // namespace lanescope::app
