// Places each panel.
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

void parameters(const View& view, bool with_labs, bool with_number, Commands& out)
{
    if (with_number) {
        timing_panel(view);
        ImGui::Separator();
    }
    if (with_labs) {
        lab_panel(view, out);
        ImGui::Separator();
    }
    if (view.frame.b) {
        sides_panel(view);
        ImGui::Separator();
    }
    program_button(view, out);
    parameters_panel(view, out);
    ImGui::Separator();
    subject_panel(view, out);
    ImGui::Separator();
    presets_panel(view, out);
    record_panel(view, out);
    ImGui::Separator();
    engine_panel(view, out);
    ImGui::Separator();
    capture_panel(view, out);
    quiet_text(view.style, "? shows the keys");
}

// Full-window tabs use larger text, because they are read from farther away.
void bottom_in_size(const View& view, Commands& out)
{
    if (!view.document.look.panels.whole) return bottom_panel(view, out);
    const float em = std::min(1.25F * view.style.em, ImGui::GetWindowSize().x / 52);
    const PanelStyle larger{view.style.palette, view.style.fonts, std::max(em, view.style.em)};
    const TextScope text(larger.fonts.plain, larger.em, larger.palette.text);
    bottom_panel({larger, view.document, view.frame, view.ui, view.frames_per_s, view.steps_per_s,
                  view.busy_s, view.renderer, view.answers},
                 out);
}

// The folded panels, over the picture while they are open.
void drawer(const View& view, const Layout& layout, Commands& out)
{
    const ImVec2 size{std::min(layout.picture.size.x, 18 * view.style.em), layout.picture.size.y};
    const PanelScope panel("parameters", {layout.picture.size.x - size.x, layout.picture.at.y},
                           size, ImGuiWindowFlags_NoFocusOnAppearing, true);
    parameters(view, true, false, out);
}

} // namespace

void draw_panels(const View& view, const Layout& layout, Commands& out)
{
    if (!layout.left.empty()) {
        const PanelScope panel("labs", layout.left.at, layout.left.size);
        labs_panel(view, out);
    }
    if (!layout.right.empty()) {
        const Area& area = layout.right;
        const float hints = hints_height(view);
        {
            const PanelScope panel("parameters", area.at, {area.size.x, area.size.y - hints});
            parameters(view, layout.left.empty(), true, out);
        }
        if (hints > 0) {
            const PanelScope panel("hints", {area.at.x, area.at.y + area.size.y - hints},
                                   {area.size.x, hints}, ImGuiWindowFlags_NoInputs);
            hints_panel(view);
        }
    }
    if (!layout.bottom.empty()) {
        const PanelScope panel("bottom", layout.bottom.at, layout.bottom.size);
        bottom_in_size(view, out);
    }
    if (!layout.code.empty()) {
        const float em = code_text(view.document.look, ImGui::GetIO().DisplaySize, view.style.em);
        const PanelStyle larger{view.style.palette, view.style.fonts, em};
        const TextScope text(larger.fonts.plain, larger.em, larger.palette.text);
        const PanelScope panel("code", layout.code.at, layout.code.size,
                               ImGuiWindowFlags_NoFocusOnAppearing |
                                   (view.ui.code.editing ? ImGuiWindowFlags_NoNavInputs : 0));
        source_panel({larger, view.document, view.frame, view.ui, view.frames_per_s,
                      view.steps_per_s, view.busy_s, view.renderer, view.answers},
                     out);
    }
    if (!layout.number.empty()) number_strip(view, layout.number);
    if (layout.folded() && (view.ui.drawer || view.ui.panel > 0) && !view.document.look.lecture)
        drawer(view, layout, out);
    if (!layout.beat.empty()) beat_panel(view, layout.beat, out);
    if (!layout.picture.empty() && shows_fault(view.document, view.frame) &&
        !covers_picture(view.document.look.step))
        fault_panel(view, layout.picture, out);
    if (view.document.presentation.card)
        cards_panel(view, layout.picture.empty() ? layout.bottom : layout.picture, out);
    if (!layout.picture.empty()) marks(view, layout.picture);
    overlays(view, layout.picture.empty() ? layout.bottom : layout.picture, out);
}

} // namespace lanescope::app
