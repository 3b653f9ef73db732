// Labs and rungs; the chosen variant shows its idea.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// A full-width row: a small key or number, then the title; the chosen one in the accent colour.
bool rung(const PanelStyle& style, const std::string& key, const labs::Variant& variant,
          bool chosen)
{
    const IdScope id(variant.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = style.em * 1.5F;
    const bool clicked = ImGui::Selectable("##rung", chosen, 0, {width, height});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 back = ImGui::GetColorU32(chosen ? style.palette.accent : style.palette.raised);
    const ImVec4 ink = chosen ? style.palette.on_accent : style.palette.quiet;
    const float box = style.em * 1.2F;
    const ImVec2 corner{at.x + style.em * 0.2F, at.y + (height - box) / 2};
    draw.AddRectFilled(corner, {corner.x + box, corner.y + box}, back, style.em * 0.2F);
    const ImVec2 size = style.fonts.bold->CalcTextSizeA(style.em * 0.95F, FLT_MAX, 0, key.c_str());
    draw_words(draw, {style.fonts.bold, style.em * 0.95F, ink},
               {corner.x + (box - size.x) / 2, corner.y + (box - size.y) / 2}, key);
    ImFont* const font = chosen ? style.fonts.bold : style.fonts.plain;
    const float left = corner.x + box + style.em * 0.5F;
    const float em = fitting(font, style.em, variant.title, at.x + width - left);
    draw_words(draw, {font, em, style.palette.text}, {left, at.y + (height - em) / 2},
               variant.title);
    return clicked;
}

void rungs(const View& view, const labs::Lab& lab, Commands& out)
{
    const labs::Variant& chosen = labs::find_variant(lab, view.document.variant);
    const auto offer = [&](const std::string& key, const labs::Variant& variant) {
        const bool shown = &variant == &chosen;
        if (rung(view.style, key, variant, shown) && !shown)
            out.push_back(ChooseVariant{variant.id});
        view.ui.places[variant.id] = item_centre();
        // An idea may give away the answer to a lesson's question.
        if (shown && !view.document.presentation.asks()) quiet_text(view.style, variant.idea);
    };
    const auto numbered = lab.rungs();
    for (std::size_t i = 0; i < numbered.size(); ++i) {
        const labs::Variant& variant = *numbered[i];
        offer(std::to_string(i + 1), variant);
        // A fix without its own number is listed below its mistake while either is shown.
        const labs::Variant* const fixed = lab.find_variant(variant.fixed);
        if (fixed && fixed->index == variant.index + 1 && (fixed == &chosen || &variant == &chosen))
            offer("G", *fixed);
    }
}

// All listed labs, plus the current one if it is not among them.
std::vector<const labs::Lab*> listed(const labs::Lab& shown)
{
    auto all = labs::listed();
    if (std::ranges::find(all, shown.origin(), &labs::Lab::place) == all.end())
        all.push_back(&shown);
    return all;
}

// A lab's title and, below it, the question that it answers.
bool lab_entry(const PanelStyle& style, const labs::Lab& lab, bool chosen)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float small = 0.93F * style.em;
    const float width = std::max(ImGui::GetContentRegionAvail().x,
                                 std::max(width_of(style.fonts.bold, style.em, lab.title),
                                          width_of(style.fonts.plain, small, lab.question)));
    const bool clicked = ImGui::Selectable("##lab", chosen, 0, {width, 2.4F * style.em});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_words(draw, {style.fonts.bold, style.em, style.palette.text}, at, lab.title);
    draw_words(draw, {style.fonts.plain, small, style.palette.quiet},
               {at.x, at.y + 1.25F * style.em}, lab.question);
    return clicked;
}

} // namespace

void lab_panel(const View& view, Commands& out)
{
    const labs::Lab& chosen = view.document.lab();
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##lab", chosen.title.c_str(), ImGuiComboFlags_HeightLargest)) {
        for (const labs::Lab* one : listed(chosen)) {
            const IdScope id(one->place);
            const bool is_chosen = one->place == chosen.origin();
            if (lab_entry(view.style, *one, is_chosen) && !is_chosen)
                out.push_back(ChooseLab{one->place, {}});
        }
        ImGui::EndCombo();
    }
    rungs(view, chosen, out);
}

void labs_panel(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const labs::Lab& shown = view.document.lab();
    for (const labs::Lab* place : listed(shown)) {
        const labs::Lab& one = *place;
        const bool chosen = one.place == shown.origin();
        const IdScope id(one.id);
        {
            const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                                 style.palette.text);
            if (ImGui::Selectable(one.title.c_str(), false) && !chosen)
                out.push_back(ChooseLab{one.place, {}});
            if (!one.question.empty()) ImGui::SetItemTooltip("%s", one.question.c_str());
        }
        if (!chosen) continue;
        rungs(view, shown, out); // including edited ones
        ImGui::Dummy({0, style.em * 0.4F});
    }
}

} // namespace lanescope::app
