// Sizes in points, and the bars that change them.
#include "app/window/layout.h"

#include <algorithm>
#include <cmath>

namespace lanescope::app {

bool Area::contains(ImVec2 point) const
{
    return point.x >= at.x && point.y >= at.y && point.x < at.x + size.x && point.y < at.y + size.y;
}

Layout divide(const PanelSizes& sizes, bool lecture, ImVec2 window, float em)
{
    if (lecture) {
        const float number = std::round(std::min(4.4F * em, window.y * 0.2F));
        return {.left = {},
                .right = {},
                .bottom = {},
                .picture = {{0, 0}, {window.x, window.y - number}},
                .number = {{0, window.y - number}, {window.x, number}}};
    }
    const float left = std::round(std::min(sizes.left * em, window.x * 0.3F));
    const float right = std::round(std::min(sizes.right * em, window.x * 0.35F));
    const float bottom = std::round(std::min(sizes.bottom * em, window.y * 0.5F));
    const float middle = window.x - left - right;
    return {.left = {{0, 0}, {left, window.y - bottom}},
            .right = {{window.x - right, 0}, {right, window.y}},
            .bottom = {{0, window.y - bottom}, {left + middle, bottom}},
            .picture = {{left, 0}, {middle, window.y - bottom}},
            .number = {}};
}

namespace {

// How far an invisible bar is dragged along one axis, in em; `sign` says which way is larger.
float splitter(const char* name, const Area& bar, bool upright, float sign, float em)
{
    ImGui::SetCursorScreenPos(bar.at);
    ImGui::InvisibleButton(name, bar.size);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive())
        ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    if (!ImGui::IsItemActive()) return 0;
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    return sign * (upright ? delta.x : delta.y) / em;
}

} // namespace

void splitters(const PanelSizes& sizes, const Layout& layout, ImVec2 window, float em,
               Commands& out)
{
    const float width = em * 0.4F;
    struct Bar {
        const char* name;
        const char* panel;
        Area area;
        bool upright;
        float sign;
        float size;
    };
    const Area& picture = layout.picture;
    const Bar bars[] = {
        {"left bar",
         "left",
         {{picture.at.x - width / 2, 0}, {width, picture.size.y}},
         true,
         1,
         sizes.left},
        {"right bar",
         "right",
         {{layout.right.at.x - width / 2, 0}, {width, window.y}},
         true,
         -1,
         sizes.right},
        {"bottom bar",
         "bottom",
         {{0, layout.bottom.at.y - width / 2}, {layout.bottom.size.x, width}},
         false,
         -1,
         sizes.bottom},
    };
    for (const Bar& bar : bars) {
        if (bar.size <= 0) continue;
        ImGui::SetNextWindowPos(bar.area.at);
        ImGui::SetNextWindowSize(bar.area.size);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::Begin(bar.name, nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
        const float moved = splitter(bar.name, bar.area, bar.upright, bar.sign, em);
        if (moved != 0) out.push_back(SizePanel{bar.panel, bar.size + moved});
        ImGui::End();
        ImGui::PopStyleVar(2);
    }
}

} // namespace lanescope::app
