// Where each panel stands in the workbench, and what a change in it does. See workbench.h.
#include <imgui.h>

#include <fmt/format.h>

#include "app/panels/engine.h"
#include "app/panels/labs.h"
#include "app/panels/overlays.h"
#include "app/panels/parameters.h"
#include "app/panels/source.h"
#include "app/window/workbench.h"
#include "compute/counting/occupancy.h"

namespace lanescope::app {

void Workbench::draw_panels(const Layout& layout, float em)
{
    const PanelStyle style{palette(look_.theme), gui_.fonts(), em};
    if (!layout.left.empty()) draw_left(style, layout.left);
    if (!layout.right.empty()) draw_right(style, layout.right);
    if (!layout.bottom.empty()) draw_bottom(style, layout.bottom);
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
    if (look_.lecture) lecture_overlay(style, readings_, area.at, area.size);
    if (help_) help_overlay(style, area.at, area.size);
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

bool Workbench::counts_sites() const
{
    return look_.panels.bottom > 0 && !look_.lecture && look_.panels.bottom_tab != "lesson" &&
           (look_.panels.bottom_tab == "source" || !readings_.has_clock);
}

std::vector<VariantReading> Workbench::variant_readings() const
{
    std::vector<VariantReading> all;
    for (const labs::Variant& variant : lab().variants) {
        VariantReading one{variant.title, variant.id == variant_, {}, 0, {}};
        if (stage_) one.step_ms = stage_->step_ms(variant.id);
        if (one.step_ms.median > 0)
            one.gb_per_s = stage_->facts().work.bytes / stage_->variant().steps * variant.steps /
                           (one.step_ms.median * 1e6);
        if (const auto found = totals_.find(variant.id); found != totals_.end())
            one.totals = found->second;
        all.push_back(std::move(one));
    }
    return all;
}

KernelReading Workbench::kernel_reading() const
{
    if (!stage_ || !stage_->facts().shape.kernel) return {};
    const auto& shape = stage_->facts().shape;
    const device::KernelAttributes needs = shape.kernel->attributes();
    const auto shared =
        static_cast<int>(needs.static_shared_bytes) + static_cast<int>(shape.dynamic_shared_bytes);
    const int threads = static_cast<int>(shape.block.count());
    KernelReading reading;
    reading.resources = fmt::format(
        "{}: {} registers{}, {} bytes of shared memory, {} threads a block", shape.kernel->name(),
        needs.registers, readings_.has_clock ? "" : " (declared in the PTX)", shared, threads);
    const device::Properties& device = engine_.device->properties();
    const auto limits = counting::multiprocessor_limits(device.compute_major, device.compute_minor);
    if (!limits || !readings_.has_clock) return reading;
    const auto fits = counting::occupancy(*limits, threads, needs.registers, shared);
    reading.occupancy =
        fmt::format("{:.0f} % occupancy: {} of {} warps, limited by {}", 100 * fits.fraction(),
                    fits.warps, fits.maximum_warps, counting::name(fits.limit));
    return reading;
}

void Workbench::draw_bottom(const PanelStyle& style, const Area& area)
{
    const PanelScope panel("bottom", area.at, area.size);
    std::string& tab = look_.panels.bottom_tab;
    for (const auto& [id, title] :
         {std::pair{"timings", "Variants (B)"}, std::pair{"source", "Source (C)"},
          std::pair{"lesson", "Lesson (L)"}}) {
        const bool chosen = tab == id;
        const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                             chosen ? style.palette.accent : style.palette.quiet);
        const float width = ImGui::CalcTextSize(title).x;
        if (ImGui::Selectable(title, false, 0, {width, 0})) tab = id;
        ImGui::SameLine(0, style.em * 1.5F);
    }
    if (ImGui::SmallButton("×")) look_.panels.bottom = 0;
    if (tab == "timings")
        timings_panel(style, variant_readings(), kernel_reading(), readings_.has_clock,
                      readings_.roofs.copy_gb_per_s);
    else if (tab == "source" && !source_.empty())
        source_panel(style, source_, opened_line_);
    else if (tab == "source")
        quiet_text(style, "The next step is being counted.");
    else
        lesson_panel(style, lesson_);
}

} // namespace lanescope::app
