// Where each panel stands in the workbench, and what a change in it does. See workbench.h.
#include <imgui.h>

#include <fmt/format.h>

#include "app/window/panels/engine.h"
#include "app/window/panels/labs.h"
#include "app/window/panels/overlays.h"
#include "app/window/panels/parameters.h"
#include "app/window/panels/sides.h"
#include "app/window/workbench.h"

namespace lanescope::app {

void Workbench::draw_panels(const Layout& layout, float em)
{
    const PanelStyle style{palette(look_.theme), gui_.fonts(), em};
    if (!layout.left.empty()) draw_left(style, layout.left);
    if (!layout.right.empty()) draw_right(style, layout.right);
    if (!layout.bottom.empty()) draw_bottom(style, layout.bottom);
    if (!layout.number.empty())
        lecture_number(style, readings_, layout.number.at, layout.number.size);
    draw_overlays(style, layout.picture);
}

void Workbench::draw_left(const PanelStyle& style, const Area& area)
{
    const PanelScope panel("labs", area.at, area.size);
    std::string lab_id = start_.lab;
    std::string variant = variant_;
    if (!labs_panel(style, lab_id, variant)) return;
    guarded([&] {
        if (lab_id != start_.lab)
            choose_lab(lab_id, variant);
        else
            choose_variant(variant);
    });
}

void Workbench::draw_right(const PanelStyle& style, const Area& area)
{
    const PanelScope panel("parameters", area.at, area.size);
    timing_panel(style, readings_);
    ImGui::Separator();
    if (rival_) {
        sides_panel(style, variant_readings(), look_.compare, readings_.has_clock);
        ImGui::Separator();
    }
    labs::Values values = *values_;
    if (parameters_panel(style, lab(), values)) guarded([&] { change_values(values); });
    ImGui::Separator();
    draw_map_controls(style);
    ImGui::Separator();
    std::size_t preset = preset_;
    if (presets_panel(style, lab(), preset)) guarded([&] { choose_preset(preset); });
    ImGui::Separator();
    std::string choice = engine_choice_;
    if (engine_panel(style, readings_, choice)) choose_engine(choice);
    ImGui::Separator();
    draw_capture_controls(style);
    quiet_text(style, "? shows the keys");
}

void Workbench::draw_overlays(const PanelStyle& style, const Area& area)
{
    constexpr double soon = 0.5; // seconds that need no bar
    if (help_) help_overlay(style, {0, 0}, ImGui::GetIO().DisplaySize);
    if (const auto file = files_.draw(style, area.at, area.size)) open_file(*file);
    if (stage_ && stage_->replaying())
        progress_overlay(style, "Replaying the session", stage_->replay_share(), area.at,
                         area.size);
    if (opening_ && opening_->seconds() > soon)
        busy_overlay(style, "Opening " + opening_->wish().what, opening_->seconds(), area.at,
                     area.size);
    else if (work_seconds() > soon && !(stage_ && stage_->replaying()))
        busy_overlay(style, "A step is under way", work_seconds(), area.at, area.size);
    draw_file_strips(style, area);
    if (!error_.empty() && error_strip(style, error_, area.at, area.size)) error_.clear();
}

} // namespace lanescope::app
