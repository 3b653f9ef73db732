// Counts as text: A/B line by line, and the tooltip. A number always has its unit.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/document/look/subject.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

void line(const PanelStyle& style, const std::string& name, const CountText& left,
          const CountText& right)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    quiet_text(style, name);
    for (const CountText& one : {left, right}) {
        ImGui::TableNextColumn();
        plain_text(one.text);
        if (!one.note.empty() && ImGui::IsItemHovered())
            ImGui::SetItemTooltip("%s", one.note.c_str());
    }
}

} // namespace

void sides_panel(const View& view)
{
    if (view.document.presentation.asks())
        return quiet_text(view.style, "The counts of both sides are shown with the answer.");
    const auto all = variant_readings(view.document, view.frame);
    const auto left = std::ranges::find_if(all, &VariantReading::shown);
    const auto right = std::ranges::find(all, view.document.look.compare, &VariantReading::id);
    if (left == all.end() || right == all.end()) return;
    if (!ImGui::BeginTable("sides", 3)) return;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 1.1F);
    ImGui::TableSetupColumn("left", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("right", ImGuiTableColumnFlags_WidthStretch, 1);
    line(view.style, "per step", {left->title}, {right->title});
    const auto time = [](const VariantReading& one) {
        return one.step_ms.count == 0 ? std::string("–") : format_time(one.step_ms.median);
    };
    if (view.frame.engine.has_clock) line(view.style, "time", {time(*left)}, {time(*right)});
    const std::string& lab = view.document.lab().id;
    for (const CountedQuantity& quantity : counted_quantities()) {
        const CountText a = count_text(quantity, lab, *left);
        const CountText b = count_text(quantity, lab, *right);
        if (quantity.always || a.text != "–" || b.text != "–")
            line(view.style, quantity.name, a, b);
    }
    ImGui::EndTable();
}

std::string warp_tooltip(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                         const Dim3& block, trace::Scope of)
{
    // "global" or, if only some accesses were summed, "global stores".
    const auto accesses = [of](const char* space) {
        return of == trace::Scope::all ? std::string(space)
                                       : fmt::format("{} {}", space, trace::name(of));
    };
    std::string words = warp_title(warp, grid, block) + "\n";
    if (counts.warp_instructions > 0)
        words += fmt::format(
            "{} instructions, {:.1f} of 32 lanes active\n", grouped(counts.warp_instructions),
            static_cast<double>(counts.thread_instructions) / counts.warp_instructions);
    const double places =
        static_cast<double>(counts.global_requests) + counts.shared_requests + counts.branches;
    if (places > 0)
        words += fmt::format("{:.1f} lanes active at accesses and branches\n",
                             counts.memory_lanes / places);
    if (counts.global_requests > 0)
        words += fmt::format("{}: {}, {}, ideal {}\n", accesses("global"),
                             counted(counts.global_requests, "request"),
                             counted(counts.global_sectors, "sector"),
                             grouped(counts.global_ideal_sectors));
    if (counts.shared_requests > 0)
        words += fmt::format("{}: {}, {}, ideal {}\n", accesses("shared"),
                             counted(counts.shared_requests, "request"),
                             counted(counts.shared_wavefronts, "wavefront"),
                             grouped(counts.shared_ideal_wavefronts));
    if (counts.branches > 0)
        words += fmt::format("branches: {}, divergent {}\n", grouped(counts.branches),
                             grouped(counts.divergent_branches));
    return words;
}

std::string sector_tooltip(const std::string& memory, int sector, std::uint32_t requests,
                           std::uint32_t warps)
{
    const std::int64_t first = std::int64_t{32} * sector;
    return fmt::format("{}: bytes {} to {}\ntouched by {} of {}", memory,
                       grouped(static_cast<std::uint64_t>(first)),
                       grouped(static_cast<std::uint64_t>(first + 31)),
                       counted(requests, "request"), counted(warps, "warp"));
}

} // namespace lanescope::app
