// Places each panel.
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

void parameters(const View& view, bool with_variants, Commands& out)
{
    if (timing_panel(view)) ImGui::Separator();
    if (with_variants) {
        variants_panel(view, out);
        ImGui::Separator();
    }
    program_button(view, out);
    parameters_panel(view, out);
    ImGui::Separator();
    if (view.frame.b) {
        sides_panel(view);
        ImGui::Separator();
    }
    subject_panel(view, out);
    presets_panel(view, out);
    record_panel(view, out);
}

// Full-window tabs use larger text, because they are read from farther away.
void draw_bottom_panel(const View& view, Commands& out)
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
    parameters(view, true, out);
}

} // namespace

void draw_panels(const View& view, const Layout& layout, Commands& out)
{
    view.ui.status = {};
    if (!layout.bar.empty()) bar_panel(view, layout, out);
    if (!layout.subjects.empty()) subjects_panel(view, layout.subjects, out);
    if (!layout.left.empty()) {
        const PanelScope panel("variants", layout.left.at, layout.left.size);
        variants_panel(view, out);
    }
    if (!layout.right.empty()) {
        const PanelScope panel("parameters", layout.right.at, layout.right.size);
        parameters(view, layout.left.empty(), out);
    }
    if (!layout.bottom.empty()) {
        const float em = view.style.em;
        const bool tabs = !view.document.look.lecture;
        if (tabs) ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.6F * em, 0.1F * em});
        const PanelScope panel("bottom", layout.bottom.at, layout.bottom.size);
        if (tabs) ImGui::PopStyleVar();
        draw_bottom_panel(view, out);
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
    if (!layout.picture.empty()) {
        marks(view, layout.picture);
        if (!view.document.look.lecture) first_run_panel(view, layout.picture);
    }
    overlays(view, layout.picture.empty() ? layout.bottom : layout.picture, out);
    settings_panel(view, layout, out);
    palette_panel(view, out);
    if (!layout.status.empty()) status_line(view, layout, out);
}

} // namespace lanescope::app
