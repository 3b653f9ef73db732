// The panel behind the gear button: settings that are rarely changed.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

void appearance(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    heading(view.style, "Appearance");
    for (const auto& [title, theme] : {std::pair{"Dark", Theme::dark}, {"Light", Theme::light}}) {
        if (theme == Theme::light) ImGui::SameLine();
        if (ImGui::RadioButton(title, look.theme == theme))
            out.push_back(SetTheme{theme == Theme::light});
    }
    quiet_text(view.style, fmt::format("text at {:.0f}% (Ctrl +, Ctrl −, Ctrl 0)",
                                       100 * static_cast<double>(look.text_zoom)));
    for (const auto& [title, zoom] : {std::pair{"Larger", look.text_zoom * 1.1F},
                                      {"Smaller", look.text_zoom / 1.1F},
                                      {"Normal", 1.0F}}) {
        if (ImGui::Button(title)) out.push_back(SetTextZoom{zoom});
        ImGui::SameLine();
    }
    ImGui::NewLine();
}

} // namespace

void settings_panel(const View& view, const Layout& layout, Commands& out)
{
    if (!view.ui.settings) return;
    const PanelStyle& style = view.style;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float top = layout.bar.size.y;
    const ImVec2 box{std::min(window.x, 24 * style.em), std::min(window.y - top, 31 * style.em)};
    const PanelScope panel("settings", {window.x - box.x, top}, box, 0, true);
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetWindowFocus();
        ImGui::SetNavCursorVisible(true);
    }
    quiet_text(style, fmt::format("{:.0f} frames/s, {} steps/s; Esc closes", view.frames_per_s,
                                  significant(view.steps_per_s, 2)));
    appearance(view, out);
    ImGui::Separator();
    engine_panel(view, out);
    ImGui::Separator();
    capture_panel(view, out);
}

} // namespace lanescope::app
