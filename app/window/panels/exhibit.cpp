// See exhibit.h.
#include "app/window/panels/exhibit.h"

#include <algorithm>

#include "app/window/panels/painter.h"

namespace lanescope::app {

void exhibit_panel(const PanelStyle& style, const render::Theme& theme, const Exhibit& exhibit)
{
    if (!exhibit.words.empty()) quiet_text(style, exhibit.words);
    ImGui::BeginChild("parts");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float text = 0.9F * style.em;
    const float plot = std::max(room.y, 9 * text);
    const float height = parts_height(exhibit.parts, room.x, plot, text);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    PanelPainter painter(style.fonts);
    draw_parts(painter, {at.x, at.y, room.x, height}, exhibit.parts, plot, theme, text);
    ImGui::Dummy({1, height});
    ImGui::EndChild();
}

} // namespace lanescope::app
