// Suggestions for newcomers, below the parameters: each hint disappears once it was followed, by
// key or mouse.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

struct Hint {
    std::string key;
    const char* words;
};

constexpr std::size_t hints = 4;

Hint hint(const View& view, std::size_t which)
{
    const std::size_t variants = view.document.lab().rungs().size();
    switch (which) {
    case 0: return {variants > 9 ? "1–9, 0" : fmt::format("1–{}", variants), "another variant"};
    case 1: return {"H", "heatmap of its warps"};
    case 2: return {"A", "two variants side by side"};
    default: return {"L", "the lesson"};
    }
}

bool hint_pending(const View& view, std::size_t which)
{
    const bool alone = view.document.lab().variants.size() < 2;
    return (view.ui.tried >> which & 1U) == 0 && !(alone && (which == 0 || which == 2));
}

} // namespace

unsigned hint_of(const Command& command)
{
    if (command.is<ChooseVariant>()) return 1U;
    if (command.is<SetMap>()) return 2U;
    if (command.is<Compare>()) return 4U;
    const auto* tab = command.get_if<ShowTab>();
    return tab && tab->tab == "lesson" ? 8U : 0U;
}

float hints_height(const View& view)
{
    std::size_t left = 0;
    for (std::size_t i = 0; i < hints; ++i) left += hint_pending(view, i) ? 1 : 0;
    return left == 0 ? 0 : view.style.em * (1.35F * static_cast<float>(left) + 0.9F);
}

void hints_panel(const View& view)
{
    const PanelStyle& style = view.style;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetWindowPos();
    draw.AddRectFilled({at.x + 0.8F * style.em, at.y},
                       {at.x + ImGui::GetWindowSize().x - 0.8F * style.em, at.y + 1},
                       ImGui::GetColorU32(style.palette.line));
    float keys = 1.8F * style.em;
    for (std::size_t i = 0; i < hints; ++i)
        if (hint_pending(view, i))
            keys = std::max(keys, width_of(style.fonts.bold, style.em, hint(view, i).key));
    float y = at.y + 0.5F * style.em;
    for (std::size_t i = 0; i < hints; ++i) {
        if (!hint_pending(view, i)) continue;
        const Hint one = hint(view, i);
        const float x = at.x + 0.8F * style.em;
        draw.AddText(style.fonts.bold, style.em, {x, y}, ImGui::GetColorU32(style.palette.accent),
                     one.key.c_str());
        draw.AddText(style.fonts.plain, style.em, {x + keys + 0.6F * style.em, y},
                     ImGui::GetColorU32(style.palette.text), one.words);
        y += 1.35F * style.em;
    }
}

} // namespace lanescope::app
