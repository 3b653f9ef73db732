// See timings.h.
#include "app/panels/timings.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/table.h"

namespace lanescope::app {
namespace {

std::uint64_t all_sectors(const trace::Totals& totals)
{
    return totals.global_load.sectors + totals.global_store.sectors + totals.global_atomic.sectors;
}

// A bar over the rest of the row, with a whisker from `low` to `high` where they differ; all as
// shares of the width.
void bar(const PanelStyle& style, double share, double low, double high, bool shown)
{
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = style.em * 1.1F;
    const auto x = [&](double part) {
        return at.x + width * static_cast<float>(std::clamp(part, 0.0, 1.0));
    };
    draw.AddRectFilled(at, {x(share), at.y + height},
                       ImGui::GetColorU32(shown ? style.palette.accent : style.palette.line),
                       style.em * 0.15F);
    if (high > low) {
        const float middle = at.y + height / 2;
        const ImU32 ink = ImGui::GetColorU32(style.palette.text);
        draw.AddLine({x(low), middle}, {x(high), middle}, ink, style.em * 0.12F);
    }
    ImGui::Dummy({width, height});
}

void timed_row(const PanelStyle& style, const VariantReading& one, double longest, double roof)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(one.step_ms.count
                               ? fmt::format("{} µs", significant(one.step_ms.median * 1e3)).c_str()
                               : "–");
    ImGui::TableNextColumn();
    const std::string share =
        roof > 0 ? fmt::format(" ({:.0f} %)", 100 * one.gb_per_s / roof) : std::string();
    ImGui::TextUnformatted(one.step_ms.count
                               ? fmt::format("{} GB/s{}", significant(one.gb_per_s), share).c_str()
                               : "");
    ImGui::TableNextColumn();
    if (one.step_ms.count)
        bar(style, one.step_ms.median / longest, one.step_ms.p10 / longest,
            one.step_ms.p90 / longest, one.shown);
}

void counted_row(const PanelStyle& style, const VariantReading& one, double most)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(one.totals ? grouped(one.totals->warp_instructions).c_str() : "–");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(one.totals ? grouped(all_sectors(*one.totals)).c_str() : "not run yet");
    ImGui::TableNextColumn();
    if (one.totals)
        bar(style, static_cast<double>(one.totals->warp_instructions) / most, 0, 0, one.shown);
}

} // namespace

void timings_panel(const PanelStyle& style, const std::vector<VariantReading>& variants,
                   const KernelReading& kernel, bool has_clock, double copy_gb_per_s)
{
    double longest = 1e-9;
    double most = 1;
    for (const VariantReading& one : variants) {
        longest = std::max(longest, one.step_ms.p90);
        if (one.totals) most = std::max(most, static_cast<double>(one.totals->warp_instructions));
    }
    quiet_text(style, kernel.resources + (kernel.occupancy.empty() ? "" : ". " + kernel.occupancy));
    if (!ImGui::BeginTable("timings", 4, ImGuiTableFlags_SizingFixedFit)) return;
    ImGui::TableSetupColumn("variant");
    ImGui::TableSetupColumn(has_clock ? "median of a step" : "warp instructions a step");
    ImGui::TableSetupColumn(has_clock ? (copy_gb_per_s > 0 ? "useful (of copy)" : "useful")
                                      : "sectors a step");
    ImGui::TableSetupColumn(has_clock ? "with p10–p90, last 120" : "instructions: simt has no time",
                            ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    for (const VariantReading& one : variants) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        {
            const TextScope title(one.shown ? style.fonts.bold : style.fonts.plain, style.em,
                                  style.palette.text);
            ImGui::TextUnformatted(one.title.c_str());
        }
        if (has_clock)
            timed_row(style, one, longest, copy_gb_per_s);
        else
            counted_row(style, one, most);
    }
    ImGui::EndTable();
}

} // namespace lanescope::app
