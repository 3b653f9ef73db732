// The roofline. Bytes and operations are those of the lab's Work: what the algorithm needs, not
// what a variant happens to move.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

double flops_per_byte(const VariantReading& one)
{
    return one.work && one.work->bytes > 0 ? one.work->flops / one.work->bytes : 0;
}

render::Plot roofline_plot(std::span<const VariantReading> variants, bool has_clock,
                           const Roofs& roofs)
{
    render::Plot plot{
        .x = {.title = "arithmetic intensity (flop/B)", .kind = render::AxisKind::log10},
        .y = {.title = "achieved (GFLOP/s)", .kind = render::AxisKind::log10},
        .empty = has_clock ? "No step has been timed yet." : no_time};
    double lowest = std::numeric_limits<double>::infinity();
    double least = lowest, most = 0;
    for (const VariantReading& one : variants) {
        if (!one.timed() || one.work->flops <= 0) continue;
        const double x = flops_per_byte(one);
        least = std::min(least, x);
        most = std::max(most, x);
        lowest = std::min(lowest, one.gflop_per_s());
        plot.series.push_back(
            {.name = one.title,
             .points = {{x, one.gflop_per_s(), one.work->flops / (one.step_ms.p90 * 1e6),
                         one.work->flops / (one.step_ms.p10 * 1e6)}},
             .place = one.place,
             .line = false,
             .strong = one.shown});
    }
    if (plot.series.empty() || roofs.copy_gb_per_s <= 0) return plot;
    const bool both = roofs.fp32_gflop_per_s > 0;
    const double ridge = both ? roofs.fp32_gflop_per_s / roofs.copy_gb_per_s : most;
    plot.x.low = least / 4;
    plot.x.high = 4 * std::max(ridge, most);
    plot.y.low = lowest / 2;
    plot.roofs.push_back({.name = fmt::format("copy {} GB/s", significant(roofs.copy_gb_per_s)),
                          .slope = roofs.copy_gb_per_s});
    if (!both) {
        plot.y.high = roofs.copy_gb_per_s * *plot.x.high;
        return plot;
    }
    plot.roofs[0].x_high = ridge;
    plot.roofs.push_back(
        {.name = fmt::format("FP32 FMA {} GFLOP/s", significant(roofs.fp32_gflop_per_s)),
         .level = roofs.fp32_gflop_per_s,
         .x_low = ridge});
    return plot;
}

render::BarChart bandwidth_bars(std::span<const VariantReading> variants, bool has_clock,
                                const Roofs& roofs)
{
    render::BarChart chart{.axis = "useful bandwidth (GB/s)",
                           .empty = has_clock ? "No step has been timed yet." : no_time};
    for (const VariantReading& one : variants) {
        if (!one.timed()) continue;
        const auto at = [&](double ms) { return one.work->bytes / (ms * 1e6); };
        render::BarRow row{.name = one.title,
                           .value = one.gb_per_s(),
                           .low = at(one.step_ms.p90),
                           .high = at(one.step_ms.p10),
                           .text = significant(one.gb_per_s()) + " GB/s",
                           .strong = one.shown};
        if (roofs.copy_gb_per_s > 0)
            row.text += fmt::format(" ({:.0f} %)", 100 * one.gb_per_s() / roofs.copy_gb_per_s);
        chart.rows.push_back(std::move(row));
    }
    if (roofs.copy_gb_per_s > 0) {
        chart.roof = roofs.copy_gb_per_s;
        chart.roof_name = fmt::format("copy {} GB/s", significant(roofs.copy_gb_per_s));
    }
    return chart;
}

Table table_of(std::span<const VariantReading> variants, const Roofs& roofs)
{
    Table table({{"variant"},
                 {"flop/B", true},
                 {"GFLOP/s", true},
                 {"GB/s", true},
                 {"roof GFLOP/s", true},
                 {"% of roof", true}});
    for (const VariantReading& one : variants) {
        if (!one.timed()) continue;
        const double x = flops_per_byte(one);
        const double under_copy = x * roofs.copy_gb_per_s;
        const double roof =
            roofs.fp32_gflop_per_s > 0 ? std::min(under_copy, roofs.fp32_gflop_per_s) : under_copy;
        table.add({one.title, significant(x), significant(one.gflop_per_s(), 4),
                   significant(one.gb_per_s(), 4), roof > 0 ? significant(roof, 4) : "",
                   roof > 0 ? fmt::format("{:.1f}", 100 * one.gflop_per_s() / roof)
                   : roofs.copy_gb_per_s > 0
                       ? fmt::format("{:.1f}", 100 * one.gb_per_s() / roofs.copy_gb_per_s)
                       : ""});
    }
    return table;
}

} // namespace

Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& roofs)
{
    const bool computes = std::ranges::any_of(
        variants, [](const VariantReading& one) { return one.work && one.work->flops > 0; });
    const bool nothing_computed = !computes && std::ranges::any_of(variants, [](const auto& one) {
        return one.work.has_value();
    });
    Exhibit exhibit{.name = "roofline",
                    .title = lab.title + ": under the roofs",
                    .words = {},
                    .parts = {},
                    .table = table_of(variants, roofs)};
    if (!has_clock)
        exhibit.words = "Roofs and points are measured times, so they need a GPU.";
    else if (nothing_computed)
        exhibit.words = "This lab moves data and computes nothing, so only the bandwidth roof "
                        "applies. 100 % is this device's measured copy.";
    else
        exhibit.words = roofs.copy_gb_per_s > 0
                            ? "Roofs measured on this device: its copy and its FP32 fused "
                              "multiply-adds. Points: median, with p10–p90."
                            : "This device's roofs are being measured.";
    const bool some_compute_nothing =
        computes && std::ranges::any_of(variants, [](const VariantReading& one) {
            return one.work && one.work->flops <= 0;
        });
    if (has_clock && some_compute_nothing)
        exhibit.words += " Variants that compute nothing are not shown.";
    if (nothing_computed)
        exhibit.parts.push_back({bandwidth_bars(variants, has_clock, roofs)});
    else
        exhibit.parts.push_back({roofline_plot(variants, has_clock, roofs)});
    return exhibit;
}

} // namespace lanescope::app
