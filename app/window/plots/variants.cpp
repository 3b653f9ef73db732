// The variants as bars, and the occupancy of the shown kernel.
#include <fmt/format.h>

#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"

namespace lanescope::app {
namespace {

render::BarChart timed_bars(std::span<const VariantReading> variants, const Roofs& roofs)
{
    render::BarChart chart{.axis = "median of a step, with p10–p90 of the last 10 s"};
    for (const VariantReading& one : variants) {
        render::BarRow row{.name = one.title, .strong = one.shown};
        if (one.timed()) {
            row.value = one.step_ms.median;
            row.low = one.step_ms.p10;
            row.high = one.step_ms.p90;
            row.text = fmt::format("{} µs · {} GB/s", significant(one.step_ms.median * 1e3),
                                   significant(one.gb_per_s()));
            if (roofs.copy_gb_per_s > 0)
                row.text += fmt::format(" ({:.0f} %)", 100 * one.gb_per_s() / roofs.copy_gb_per_s);
        } else {
            row.text = "not run yet";
        }
        chart.rows.push_back(std::move(row));
    }
    return chart;
}

render::BarChart counted_bars(std::span<const VariantReading> variants)
{
    render::BarChart chart{.axis = "warp instructions a step; simt has no time"};
    for (const VariantReading& one : variants) {
        render::BarRow row{.name = one.title, .strong = one.shown};
        if (one.totals) {
            const auto count = static_cast<double>(one.totals->warp_instructions);
            row.value = row.low = row.high = count;
            row.text = fmt::format("{} · {} sectors", grouped(one.totals->warp_instructions),
                                   grouped(global_sectors(*one.totals)));
        } else {
            row.text = "not run yet";
        }
        chart.rows.push_back(std::move(row));
    }
    return chart;
}

// How much of what each resource alone would allow is there: the one that is used up limits.
render::BarChart occupancy_bars(const KernelNeeds& kernel)
{
    const counting::Occupancy& fits = *kernel.occupancy;
    using Limit = counting::OccupancyLimit;
    render::BarChart chart{
        .axis = fmt::format("{} blocks: {:.0f} % occupancy", fits.blocks, 100 * fits.fraction())};
    const auto add = [&](Limit limit, int allowed, bool needed = true) {
        render::BarRow row{.name = std::string(counting::name(limit))};
        row.strong = fits.limit == limit;
        row.text =
            needed ? fmt::format("{} of {}{}", fits.blocks, allowed, row.strong ? ": limits" : "")
                   : "none needed";
        if (needed && allowed > 0)
            row.value = row.low = row.high = static_cast<double>(fits.blocks) / allowed;
        chart.rows.push_back(std::move(row));
    };
    add(Limit::warps, fits.blocks_by_warps);
    add(Limit::blocks, fits.blocks_by_blocks);
    add(Limit::registers, fits.blocks_by_registers);
    add(Limit::shared_memory, fits.blocks_by_shared_memory, kernel.shared_bytes > 0);
    return chart;
}

std::string words_of(const KernelNeeds& kernel, bool has_clock, const Roofs& roofs)
{
    std::string words;
    if (!kernel.name.empty())
        words = fmt::format(
            "{}: {} registers a thread{}, {} bytes of shared memory, {} threads a "
            "block",
            kernel.name, kernel.registers, kernel.compiled ? "" : " (declared in the PTX)",
            grouped(static_cast<std::uint64_t>(kernel.shared_bytes)), kernel.threads);
    if (kernel.occupancy)
        words += fmt::format(". {} of {} warps of a multiprocessor, limited by {}",
                             kernel.occupancy->warps, kernel.occupancy->maximum_warps,
                             counting::name(kernel.occupancy->limit));
    if (has_clock && roofs.copy_gb_per_s > 0)
        words += fmt::format(". 100 % is this device's copy, {} GB/s measured",
                             significant(roofs.copy_gb_per_s));
    return words.empty() ? words : words + '.';
}

Table table_of(std::span<const VariantReading> variants, const Roofs& roofs)
{
    Table table({{"variant"},
                 {"median µs", true},
                 {"p10 µs", true},
                 {"p90 µs", true},
                 {"samples", true},
                 {"useful GB/s", true},
                 {"% of copy", true},
                 {"warp instructions", true},
                 {"global sectors", true}});
    for (const VariantReading& one : variants) {
        std::vector<std::string> row{one.title};
        if (one.timed())
            row.insert(row.end(),
                       {significant(one.step_ms.median * 1e3, 4),
                        significant(one.step_ms.p10 * 1e3, 4),
                        significant(one.step_ms.p90 * 1e3, 4), std::to_string(one.step_ms.count),
                        significant(one.gb_per_s(), 4)});
        else
            row.insert(row.end(), 5, "");
        row.push_back(one.timed() && roofs.copy_gb_per_s > 0
                          ? fmt::format("{:.1f}", 100 * one.gb_per_s() / roofs.copy_gb_per_s)
                          : "");
        row.push_back(one.totals ? std::to_string(one.totals->warp_instructions) : "");
        row.push_back(one.totals ? std::to_string(global_sectors(*one.totals)) : "");
        table.add(std::move(row));
    }
    return table;
}

} // namespace

Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, bool has_clock, const Roofs& roofs)
{
    Exhibit exhibit{.name = "variants",
                    .title = lab.title + ": variants",
                    .words = words_of(kernel, has_clock, roofs),
                    .parts = {},
                    .table = table_of(variants, roofs)};
    exhibit.parts.push_back({has_clock ? timed_bars(variants, roofs) : counted_bars(variants), 3});
    if (kernel.occupancy) exhibit.parts.push_back({occupancy_bars(kernel), 2});
    return exhibit;
}

} // namespace lanescope::app
