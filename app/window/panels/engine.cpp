// See engine.h.
#include "app/window/panels/engine.h"

#include <fmt/format.h>

#include "app/export/table.h"

namespace lanescope::app {

void timing_panel(const PanelStyle& style, const Readings& readings)
{
    const Headline headline = headline_of(readings);
    {
        const TextScope large(style.fonts.bold, style.em * 2, style.palette.accent);
        plain_text(headline.number);
    }
    quiet_text(style, headline.meaning);
    if (readings.has_clock && readings.step_ms.count > 0) {
        plain_text(fmt::format("p10–p90  {}–{} µs", significant(readings.step_ms.p10 * 1e3),
                               significant(readings.step_ms.p90 * 1e3)));
        plain_text(fmt::format("{} GB/s useful", significant(readings.gb_per_s)));
        if (readings.roofs.copy_gb_per_s > 0)
            plain_text(fmt::format("{:.0f} % of this device's copy ({} GB/s measured)",
                                   100 * readings.gb_per_s / readings.roofs.copy_gb_per_s,
                                   significant(readings.roofs.copy_gb_per_s)));
        else
            quiet_text(style, "this device's copy is being measured");
    }
    if (!readings.has_clock)
        quiet_text(style,
                   "simt executes every lane on the CPU: its counts are a GPU's, its time is not.");
    plain_text(fmt::format("{:.0f} frames/s, {} steps", readings.frames_per_s,
                           grouped(static_cast<std::uint64_t>(readings.steps))));
    if (!readings.warning.empty()) {
        const TextScope warning(style.fonts.bold, style.em, style.palette.warning);
        plain_text(readings.warning);
    }
}

bool engine_panel(const PanelStyle& style, const Readings& readings, std::string& choice)
{
    heading(style, "Engine");
    bool changed = false;
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##engine", fmt::format("{} ({})", readings.engine, choice).c_str())) {
        for (const char* one : {"auto", "cuda", "simt"}) {
            if (ImGui::Selectable(one, choice == one) && choice != one) {
                choice = one;
                changed = true;
            }
        }
        ImGui::EndCombo();
    }
    plain_text(readings.device);
    quiet_text(style, readings.engine_reason);
    quiet_text(style, readings.sharing);
    if (readings.map_us > 0)
        quiet_text(style,
                   fmt::format("map {} µs, unmap {} µs a frame (median)",
                               significant(readings.map_us), significant(readings.unmap_us)));
    quiet_text(style, "Drawn by " + readings.renderer);
    return changed;
}

} // namespace lanescope::app
