// The last ten seconds of every variant. A variant that is not running keeps the last ten seconds
// it ran.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using Quantity = std::shared_ptr<const Recent> VariantReading::*;

// `scale` converts samples to the axis's unit.
render::Plot plot_of(std::span<const VariantReading> variants, Quantity quantity,
                     const std::string& y_title, double scale, const std::string& empty)
{
    constexpr double span_s = std::chrono::duration<double>(History::span).count();
    constexpr double far_apart = 20; // above this ratio a linear axis would hide the fast ones
    render::Plot plot{
        .x = {.title = "seconds before the variant's last step", .low = -span_s, .high = 0},
        .y = {.title = y_title, .from_zero = true},
        .empty = empty};
    double min_value = 0, max_value = 0;
    for (const VariantReading& one : variants) {
        if (one.*quantity == nullptr) continue;
        render::PlotSeries series{.name = one.title,
                                  .place = one.place,
                                  .markers = false,
                                  .spread = render::PlotSeries::Spread::band,
                                  .strong = one.shown};
        for (const History::Slice& slice : (one.*quantity)->slices) {
            const double y = scale * slice.spread.median;
            series.points.push_back(
                {-slice.age_s, y, scale * slice.spread.p10, scale * slice.spread.p90});
            min_value = min_value > 0 ? std::min(min_value, y) : y;
            max_value = std::max(max_value, y);
        }
        plot.series.push_back(std::move(series));
    }
    if (min_value > 0 && max_value > far_apart * min_value) plot.y.kind = render::AxisKind::log10;
    return plot;
}

std::vector<std::string> cells(const std::shared_ptr<const Recent>& recent, double scale)
{
    if (!recent || recent->spread.count == 0) return {"", "", "", ""};
    const Spread& spread = recent->spread;
    return {std::to_string(spread.count), significant(scale * spread.median, 6),
            significant(scale * spread.p10, 6), significant(scale * spread.p90, 6)};
}

Table table_of(std::span<const VariantReading> variants, bool has_clock)
{
    std::vector<Table::Column> columns{{"variant"}};
    const auto add_columns = [&](const std::string& what) {
        for (const char* kind : {"samples", "median", "p10", "p90"})
            columns.push_back({what + kind, true});
    };
    add_columns(has_clock ? "step µs " : "warp instructions ");
    if (!has_clock) add_columns("global sectors ");
    Table table(columns);
    for (const VariantReading& one : variants) {
        std::vector<std::string> row{one.title};
        const auto add = [&](const std::vector<std::string>& more) {
            row.insert(row.end(), more.begin(), more.end());
        };
        if (has_clock) {
            add(cells(one.times_ms, 1e3));
        } else {
            add(cells(one.warp_instructions, 1));
            add(cells(one.sectors, 1));
        }
        table.add(std::move(row));
    }
    return table;
}

} // namespace

Exhibit history_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                        bool has_clock)
{
    Exhibit exhibit{.name = "history",
                    .title = lab.title + ": the last ten seconds",
                    .words = has_clock
                                 ? "Median time per step and p10–p90 (band) in each quarter of "
                                   "a second, from CUDA events."
                                 : no_time,
                    .parts = {},
                    .table = table_of(variants, has_clock)};
    if (has_clock) {
        exhibit.parts.push_back({plot_of(variants, &VariantReading::times_ms, "time per step (µs)",
                                         1e3, "No step has been timed yet.")});
        return exhibit;
    }
    const std::string empty = "No step has been counted yet.";
    std::vector<render::Plot> plots{
        plot_of(variants, &VariantReading::warp_instructions, "warp instructions per step", 1,
                empty),
        plot_of(variants, &VariantReading::sectors, "global sectors per step", 1, empty)};
    name_once(plots);
    for (render::Plot& plot : plots) exhibit.parts.push_back({std::move(plot)});
    return exhibit;
}

} // namespace lanescope::app
