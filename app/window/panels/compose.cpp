// Where each panel stands.
#include <imgui.h>

#include "app/window/panels/panels.h"

namespace lanescope::app {

void draw_panels(const View& view, const Layout& layout, Commands& out)
{
    if (!layout.left.empty()) {
        const PanelScope panel("labs", layout.left.at, layout.left.size);
        labs_panel(view, out);
    }
    if (!layout.right.empty()) {
        const PanelScope panel("parameters", layout.right.at, layout.right.size);
        timing_panel(view);
        ImGui::Separator();
        if (view.frame.b) {
            sides_panel(view);
            ImGui::Separator();
        }
        parameters_panel(view, out);
        ImGui::Separator();
        subject_panel(view, out);
        ImGui::Separator();
        presets_panel(view, out);
        ImGui::Separator();
        engine_panel(view, out);
        ImGui::Separator();
        capture_panel(view, out);
        quiet_text(view.style, "? shows the keys");
    }
    if (!layout.bottom.empty()) {
        const PanelScope panel("bottom", layout.bottom.at, layout.bottom.size);
        bottom_panel(view, out);
    }
    if (!layout.number.empty()) lecture_number(view, layout.number);
    overlays(view, layout.picture, out);
}

} // namespace lanescope::app
