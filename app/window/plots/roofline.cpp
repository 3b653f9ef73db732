// The roofline, from times measured here or, without a clock, from recorded times. Bytes and
// operations come from the lab's Work: what the algorithm needs. The shown variant has a second
// point, at the bytes that it requests from L1 as counted.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/measure/measurements.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// A variant under the roofs: measured here, or recorded elsewhere. Rates at the median, with
// factors for p10 and p90.
struct Point {
    std::string name{};
    int place = 0;
    bool strong = false;
    double flops_per_byte = 0; // 0: no operations
    double gb_per_s = 0;
    double slow = 1;              // factor at p90
    double fast = 1;              // factor at p10
    double flops_per_l1_byte = 0; // as counted, of the shown variant; 0: unknown

    double gflop_per_s() const { return flops_per_byte * gb_per_s; }
};

double flops_per_l1_byte(const VariantReading& variant)
{
    if (!variant.shown || !variant.totals || !variant.work) return 0;
    const trace::Totals& totals = *variant.totals;
    const double bytes =
        variant.per_step(32 * (totals.global_load.sectors + totals.global_store.sectors +
                               totals.global_atomic.sectors));
    return bytes > 0 ? variant.work->flops / bytes : 0;
}

std::vector<Point> points_of(std::span<const VariantReading> variants)
{
    std::vector<Point> points;
    for (const VariantReading& one : variants) {
        if (!one.timed()) continue;
        const double bytes = one.work->bytes;
        points.push_back({one.title, one.place, one.shown, bytes > 0 ? one.work->flops / bytes : 0,
                          one.gb_per_s(), one.step_ms.median / one.step_ms.p90,
                          one.step_ms.median / one.step_ms.p10, flops_per_l1_byte(one)});
    }
    return points;
}

// Variants in the lab's order, then the peers measured with them.
std::vector<Point> points_of(std::span<const VariantReading> variants,
                             const std::vector<const Measured*>& times)
{
    std::vector<Point> points;
    const auto add = [&](const Measured& one, const std::string& name, int place, bool shown) {
        const double intensity = one.gb_per_s > 0 ? one.gflop_per_s.value_or(0) / one.gb_per_s : 0;
        points.push_back({name, place, shown, intensity, one.gb_per_s, one.median_ms / one.p90_ms,
                          one.median_ms / one.p10_ms});
    };
    for (const VariantReading& variant : variants)
        for (const Measured* one : times)
            if (!one->is_peer && one->variant == variant.id) {
                add(*one, variant.title, variant.place, variant.shown);
                points.back().flops_per_l1_byte = flops_per_l1_byte(variant);
            }
    int place = static_cast<int>(variants.size());
    for (const Measured* one : times)
        if (one->is_peer) add(*one, one->variant, place++, false);
    return points;
}

render::Plot roofline_plot(const std::vector<Point>& points, const std::string& empty,
                           const Roofs& roofs)
{
    render::Plot plot{
        .x = {.title = "arithmetic intensity (flop/B)", .kind = render::AxisKind::log10},
        .y = {.title = "achieved (GFLOP/s)", .kind = render::AxisKind::log10},
        .empty = empty};
    double lowest = std::numeric_limits<double>::infinity();
    double min_x = lowest, max_x = 0;
    for (const Point& one : points) {
        if (one.flops_per_byte <= 0) continue;
        const double x = one.flops_per_byte;
        min_x = std::min(min_x, x);
        max_x = std::max(max_x, x);
        lowest = std::min(lowest, one.gflop_per_s());
        plot.series.push_back({.name = one.name,
                               .points = {{x, one.gflop_per_s(), one.gflop_per_s() * one.slow,
                                           one.gflop_per_s() * one.fast}},
                               .place = one.place,
                               .line = false,
                               .strong = one.strong});
        if (one.flops_per_l1_byte <= 0) continue;
        min_x = std::min(min_x, one.flops_per_l1_byte);
        max_x = std::max(max_x, one.flops_per_l1_byte);
        plot.series.push_back(
            {.name = one.name + ", via L1",
             .points = {{one.flops_per_l1_byte, one.gflop_per_s(), one.gflop_per_s() * one.slow,
                         one.gflop_per_s() * one.fast}},
             .place = one.place,
             .line = false,
             .strong = true});
    }
    if (plot.series.empty() || roofs.copy_gb_per_s <= 0) return plot;
    const bool both = roofs.fp32_gflop_per_s > 0;
    const double ridge = both ? roofs.fp32_gflop_per_s / roofs.copy_gb_per_s : max_x;
    plot.x.low = std::min(min_x, ridge) / 4; // includes the ridge point
    plot.x.high = 4 * std::max(ridge, max_x);
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

render::BarChart bandwidth_bars(const std::vector<Point>& points, const std::string& empty,
                                const Roofs& roofs)
{
    render::BarChart chart{.axis = "useful bandwidth (GB/s)", .empty = empty};
    for (const Point& one : points) {
        render::BarRow row{.name = one.name,
                           .value = one.gb_per_s,
                           .low = one.gb_per_s * one.slow,
                           .high = one.gb_per_s * one.fast,
                           .text = significant(one.gb_per_s) + " GB/s",
                           .strong = one.strong};
        if (roofs.copy_gb_per_s > 0)
            row.text += fmt::format(" ({:.0f}%)", 100 * one.gb_per_s / roofs.copy_gb_per_s);
        chart.rows.push_back(std::move(row));
    }
    if (roofs.copy_gb_per_s > 0) {
        chart.roof = roofs.copy_gb_per_s;
        chart.roof_name = fmt::format("copy {} GB/s", significant(roofs.copy_gb_per_s));
    }
    return chart;
}

Table table_of(const std::vector<Point>& points, const Roofs& roofs)
{
    Table table({{"variant"},
                 {"flop/B", true},
                 {"GFLOP/s", true},
                 {"GB/s", true},
                 {"roof GFLOP/s", true},
                 {"% of roof", true}});
    for (const Point& one : points) {
        const double x = one.flops_per_byte;
        const double under_copy = x * roofs.copy_gb_per_s;
        const double roof =
            roofs.fp32_gflop_per_s > 0 ? std::min(under_copy, roofs.fp32_gflop_per_s) : under_copy;
        table.add({one.name, significant(x), significant(one.gflop_per_s(), 4),
                   significant(one.gb_per_s, 4), roof > 0 ? significant(roof, 4) : "",
                   roof > 0 ? fmt::format("{:.1f}", 100 * one.gflop_per_s() / roof)
                   : roofs.copy_gb_per_s > 0
                       ? fmt::format("{:.1f}", 100 * one.gb_per_s / roofs.copy_gb_per_s)
                       : ""});
    }
    return table;
}

// Describes the origin of the points, and what is missing.
std::string words_of_recorded(const labs::Lab& lab, const std::vector<const Measured*>& times,
                              const Roofs& roofs)
{
    const std::string size = size_in_words(lab, *times.front());
    std::string words = fmt::format("Recorded on {}{}, medians with p10–p90.",
                                    times.front()->on.words(), size.empty() ? "" : ", at " + size);
    const bool operations = std::ranges::any_of(
        times, [](const Measured* one) { return one->gflop_per_s.has_value(); });
    if (!operations)
        words += " Its operations were not recorded: the bars show what it moves.";
    else if (roofs.fp32_gflop_per_s <= 0)
        words += " Its rate of operations was not recorded.";
    return words;
}

} // namespace

Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& device_roofs,
                         const std::map<std::string, std::string>& values)
{
    // Without a clock, the recorded measurements of another machine.
    const auto recorded = has_clock ? nullptr : shown_measurements(false);
    const auto times =
        recorded ? recorded->shown_of(lab.id, values) : std::vector<const Measured*>{};
    const Roofs roofs = times.empty() ? device_roofs : recorded->roofs_of(times.front()->on);
    const std::vector<Point> points =
        times.empty() ? points_of(variants) : points_of(variants, times);
    const auto computes = [](const Point& one) { return one.flops_per_byte > 0; };
    const bool any_computes =
        std::ranges::any_of(points, computes) ||
        (times.empty() && std::ranges::any_of(variants, [](const VariantReading& one) {
             return one.work && one.work->flops > 0;
         }));
    const bool nothing_computed =
        !any_computes &&
        (!points.empty() || std::ranges::any_of(variants, [](const VariantReading& one) {
            return one.work.has_value();
        }));
    Exhibit exhibit{.name = "roofline",
                    .title = lab.title + ": under the roofs",
                    .words = {},
                    .parts = {},
                    .table = table_of(points, roofs)};
    if (!times.empty())
        exhibit.words = words_of_recorded(lab, times, roofs);
    else if (!has_clock)
        exhibit.words = "Roofs and points are measured times, so they need a GPU.";
    else if (nothing_computed)
        exhibit.words = "This lab moves data and computes nothing, so only the bandwidth roof "
                        "applies. 100% = copy bandwidth of this GPU, measured.";
    else
        exhibit.words = roofs.copy_gb_per_s > 0
                            ? "Roofs measured on this device: its copy and its FP32 fused "
                              "multiply-adds. Points: median, with p10–p90."
                            : "This device's roofs are being measured.";
    if (any_computes && !points.empty() && !std::ranges::all_of(points, computes))
        exhibit.words += " Variants that compute nothing are not shown.";
    if (any_computes && std::ranges::any_of(points, [](const Point& one) {
            return one.flops_per_byte > 0 && one.flops_per_l1_byte > 0;
        }))
        exhibit.words += " Via L1: operations per byte that the variant requests, as counted.";
    const std::string empty = has_clock ? "No step has been timed yet." : no_time;
    if (nothing_computed)
        exhibit.parts.push_back({bandwidth_bars(points, empty, roofs)});
    else
        exhibit.parts.push_back({roofline_plot(points, empty, roofs)});
    return exhibit;
}

} // namespace lanescope::app
