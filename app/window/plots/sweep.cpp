// Counts and times get separate plots over the same axis; the table has one row per point.
#include "app/window/plots/sweep.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "app/measure/per_step.h"
#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"
#include "compute/read_number.h"

namespace lanescope::app {
namespace {

using labs::Parameter;

const Parameter& swept(const SweepPlan& plan)
{
    return *plan.lab->find_parameter(plan.sweep->parameter);
}

// True if the axis is numeric; choices can be numbers too, such as bins.
bool numeric(const SweepPlan& plan)
{
    return std::ranges::all_of(plan.values, [](const std::string& value) {
        double number = 0;
        const char* const end = value.data() + value.size();
        const auto read = read_number(value.data(), end, number);
        return read.ec == std::errc{} && read.ptr == end;
    });
}

double place_of(const SweepPlan& plan, std::size_t value)
{
    double number = static_cast<double>(value);
    const std::string& text = plan.values[value];
    if (numeric(plan)) read_number(text.data(), text.data() + text.size(), number);
    return number;
}

render::PlotAxis x_axis(const SweepPlan& plan)
{
    constexpr double wide = 12; // above this ratio a linear axis would crowd the small values
    if (!plan.sweep->number.empty())
        return {.title = plan.sweep->number_title, .kind = render::AxisKind::log2};
    const Parameter& parameter = swept(plan);
    render::PlotAxis axis{.title = parameter.title};
    if (!parameter.unit.empty()) axis.title += " (" + parameter.unit + ")";
    if (!numeric(plan)) {
        axis.kind = render::AxisKind::categories;
        axis.categories = plan.values;
        return axis;
    }
    axis.low = place_of(plan, 0);
    axis.high = place_of(plan, plan.values.size() - 1);
    if (*axis.low > 0 && *axis.high > wide * *axis.low) axis.kind = render::AxisKind::log2;
    return axis;
}

using Reading = std::function<std::optional<render::PlotPoint>(const SweepPoint&, double x)>;

std::vector<render::PlotSeries> series_of(const SweepPlan& plan, std::span<const SweepPoint> points,
                                          const std::string& shown, const Reading& read)
{
    std::vector<render::PlotSeries> all;
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
        const labs::Variant& variant = *plan.variants[i];
        render::PlotSeries series{.name = variant.title,
                                  .place = static_cast<int>(&variant - plan.lab->variants.data()),
                                  .line = numeric(plan),
                                  .strong = plan.variants.size() > 1 && variant.id == shown};
        for (const SweepPoint& point : points)
            if (point.variant == i)
                if (const auto place =
                        read(point, point.number.value_or(place_of(plan, point.value))))
                    series.points.push_back(*place);
        all.push_back(std::move(series));
    }
    return all;
}

std::string empty_words(std::span<const SweepPoint> points, const std::string& nothing)
{
    for (const SweepPoint& point : points)
        if (!point.problem.empty()) return point.problem;
    return points.empty() ? "The first point is being measured." : nothing;
}

// Little's law, extrapolated from the smallest point alone: proportional up to the roof. The knee
// is where the line meets the roof.
struct Law {
    double slope = 0; // GB/s per unit of the axis
    double roof = 0;
    double last = 0; // largest value on the axis

    double knee() const { return roof / slope; }
};

std::optional<Law> law_of(const SweepPlan& plan, std::span<const SweepPoint> points,
                          const Roofs& roofs)
{
    if (plan.sweep->law.empty() || !(roofs.copy_gb_per_s > 0)) return {};
    const SweepPoint* first = nullptr;
    Law law{.roof = roofs.copy_gb_per_s};
    for (const SweepPoint& point : points) {
        if (!point.number || !point.gb_per_s()) continue;
        if (!first || *point.number < *first->number) first = &point;
        law.last = std::max(law.last, *point.number);
    }
    if (!first || !(*first->number > 0)) return {};
    law.slope = *first->gb_per_s() / *first->number;
    return law;
}

// The measured knee: the corner of the proportional-then-constant curve that fits all points best,
// by the squares of relative differences.
std::optional<double> measured_knee(std::span<const SweepPoint> points)
{
    std::vector<std::pair<double, double>> all;
    for (const SweepPoint& point : points)
        if (point.number && *point.number > 0 && point.gb_per_s())
            all.emplace_back(std::log(*point.number), std::log(*point.gb_per_s()));
    if (all.size() < 4) return {};
    const auto [lowest, highest] = std::ranges::minmax_element(all);
    constexpr int steps = 2000;
    double best = std::numeric_limits<double>::infinity();
    double knee = 0;
    for (int i = 0; i <= steps; ++i) {
        const double at = lowest->first + (highest->first - lowest->first) * i / steps;
        // For log y = level + min(0, log x - at), the best-fitting level is a mean.
        double level = 0;
        for (const auto& [x, y] : all) level += y - std::min(0.0, x - at);
        level /= static_cast<double>(all.size());
        double miss = 0;
        for (const auto& [x, y] : all) miss += std::pow(level + std::min(0.0, x - at) - y, 2);
        if (miss < best) {
            best = miss;
            knee = at;
        }
    }
    return std::exp(knee);
}

// "Little's law from the first point: knee at 1912, measured 2034."
std::string littles_law_text(const SweepPlan& plan, std::span<const SweepPoint> points,
                             const Roofs& roofs)
{
    const auto law = law_of(plan, points, roofs);
    const auto knee = measured_knee(points);
    if (!law || !knee) return {};
    return fmt::format(" {} from the first point: knee at {}, measured {}.", plan.sweep->law,
                       significant(law->knee(), 4), significant(*knee, 4));
}

render::Plot bandwidth_plot(const SweepPlan& plan, std::span<const SweepPoint> points,
                            const Roofs& roofs, const std::string& shown)
{
    render::Plot plot{.x = x_axis(plan),
                      .y = {.title = "useful bandwidth (GB/s)", .from_zero = true},
                      .empty = empty_words(points, "Nothing could be timed.")};
    if (!plan.sweep->law.empty()) { // shows a proportion as a straight line
        plot.y.kind = render::AxisKind::log10;
        plot.y.from_zero = false;
    }
    plot.series = series_of(plan, points, shown, [](const SweepPoint& point, double x) {
        std::optional<render::PlotPoint> place;
        const auto at = [&](double ms) { return point.work.bytes / (ms * 1e6); };
        if (const auto rate = point.gb_per_s())
            place = {x, *rate, at(point.time->ms.p90), at(point.time->ms.p10)};
        return place;
    });
    if (roofs.copy_gb_per_s > 0)
        plot.roofs.push_back({.name = fmt::format("copy {} GB/s", significant(roofs.copy_gb_per_s)),
                              .level = roofs.copy_gb_per_s});
    if (const auto law = law_of(plan, points, roofs))
        plot.roofs.push_back({.name = plan.sweep->law,
                              .level = 0,
                              .slope = law->slope,
                              .x_high = std::min(law->knee(), law->last)});
    return plot;
}

render::Plot ratio_plot(const SweepPlan& plan, std::span<const SweepPoint> points,
                        labs::Ratio ratio, const std::string& shown)
{
    const RatioText words = text(to_ratio(ratio));
    render::Plot plot{.x = x_axis(plan),
                      .y = {.title = std::string(words.title), .from_zero = true},
                      .empty = empty_words(points, "No variant has this ratio.")};
    if (words.high > 0) plot.y.high = words.high;
    plot.series = series_of(plan, points, shown, [&](const SweepPoint& point, double x) {
        std::optional<render::PlotPoint> place;
        if (const auto y = point.ratio(ratio)) place = render::PlotPoint::exact(x, *y);
        return place;
    });
    return plot;
}

// "Strided, size 256 elements"; may be empty.
std::string about(const SweepPlan& plan)
{
    std::string words = plan.variants.size() == 1 ? plan.variants.front()->title : "";
    const std::string fixed = fixed_values(plan);
    if (!words.empty() && !fixed.empty()) words += ", ";
    return words + fixed;
}

std::string how(const SweepPlan& plan, const Roofs& roofs)
{
    if (plan.engine != device::Engine::cuda) return no_time;
    return fmt::format("Medians of {} samples with p10–p90, alongside the GPU's other work{}. "
                       "Counts from probes.",
                       plan.samples, roofs.copy_gb_per_s > 0 ? "; roof: measured copy" : "");
}

std::string number(const std::optional<double>& value)
{
    return value ? significant(*value, 4) : "";
}

std::optional<double> ratio_of(const SweepPoint& point, trace::Ratio ratio)
{
    if (!point.totals) return {};
    return trace::value(ratio, *point.totals, point.work.items);
}

std::vector<std::string> row_of(const SweepPlan& plan, const SweepPoint& point)
{
    const int steps = plan.variants[point.variant]->steps;
    std::vector<std::string> row{plan.sweep->parameter, plan.values[point.value],
                                 plan.variants[point.variant]->id, number(point.gb_per_s())};
    if (point.time)
        row.insert(row.end(), {significant(point.time->ms.median * 1e3 / steps, 4),
                               significant(point.time->ms.p10 * 1e3 / steps, 4),
                               significant(point.time->ms.p90 * 1e3 / steps, 4)});
    else
        row.insert(row.end(), 3, "");
    for (const trace::Ratio ratio : trace::all_ratios)
        row.push_back(number(ratio_of(point, ratio)));
    return row;
}

std::vector<render::Plot> plots_of(const SweepResult& sweep, const Roofs& roofs,
                                   const std::string& shown)
{
    constexpr std::size_t side_by_side = 2;
    const SweepPlan& plan = sweep.plan;
    std::vector<render::Plot> plots;
    if (plan.engine == device::Engine::cuda)
        plots.push_back(bandwidth_plot(plan, sweep.points, roofs, shown));
    for (const labs::Ratio ratio : plan.sweep->ratios)
        if (plots.size() < side_by_side)
            plots.push_back(ratio_plot(plan, sweep.points, ratio, shown));
    name_once(plots);
    if (plan.variants.size() == 1) // about() already names it
        for (render::Plot& plot : plots) plot.series.front().name.clear();
    return plots;
}

} // namespace

Table sweep_table(std::span<const SweepResult> sweeps)
{
    std::vector<Table::Column> columns{{"parameter"},      {"value", true},     {"variant"},
                                       {"gb_per_s", true}, {"median_us", true}, {"p10_us", true},
                                       {"p90_us", true}};
    for (const trace::Ratio ratio : trace::all_ratios)
        columns.push_back({std::string(text(ratio).id), true});
    Table table(columns);
    for (const SweepResult& sweep : sweeps)
        for (const SweepPoint& point : sweep.points) table.add(row_of(sweep.plan, point));
    return table;
}

Exhibit sweep_exhibit(std::span<const SweepResult> sweeps, const Roofs& roofs,
                      const std::string& shown)
{
    const SweepPlan& first = sweeps.front().plan;
    const bool alone = sweeps.size() == 1;
    Exhibit exhibit{.name = "sweep",
                    .title = first.lab->title + (alone ? ": " + first.sweep->title : ": sweeps"),
                    .words = how(first, roofs),
                    .parts = {},
                    .table = sweep_table(sweeps)};
    if (alone) exhibit.words += littles_law_text(first, sweeps.front().points, roofs);
    if (alone && !about(first).empty()) exhibit.words = about(first) + ". " + exhibit.words;
    for (const SweepResult& sweep : sweeps) {
        auto plots = plots_of(sweep, roofs, shown);
        if (!alone) {
            plots.back().title = about(sweep.plan).empty() ? " " : about(sweep.plan);
            plots.front().title = sweep.plan.sweep->title;
        }
        for (render::Plot& plot : plots) exhibit.parts.push_back({std::move(plot)});
    }
    return exhibit;
}

nlohmann::ordered_json sweep_json(const SweepResult& sweep)
{
    const SweepPlan& plan = sweep.plan;
    using nlohmann::ordered_json;
    const auto number = [](const std::optional<double>& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    ordered_json all = ordered_json::array();
    for (const SweepPoint& point : sweep.points) {
        ordered_json one{{"value", plan.values[point.value]},
                         {"variant", plan.variants[point.variant]->id},
                         {"gb_per_s", number(point.gb_per_s())},
                         {"median_ms", nullptr}};
        if (point.time) {
            const Spread step = per_step(point.time->ms, plan.variants[point.variant]->steps);
            one["median_ms"] = step.median;
            one["p10_ms"] = step.p10;
            one["p90_ms"] = step.p90;
            one["samples"] = point.time->ms.count;
        }
        for (const trace::Ratio ratio : trace::all_ratios)
            one[std::string(text(ratio).id)] = number(ratio_of(point, ratio));
        if (point.number) one["number"] = *point.number;
        if (!point.problem.empty()) one["problem"] = point.problem;
        all.push_back(std::move(one));
    }
    ordered_json others = ordered_json::object();
    for (const Parameter& parameter : plan.lab->parameters)
        if (parameter.id != plan.sweep->parameter)
            others[parameter.id] = plan.base.text(parameter.id);
    return {{"lab", plan.lab->id},
            {"title", plan.sweep->title},
            {"parameter", plan.sweep->parameter},
            {"engine", device::name(plan.engine)},
            {"others", std::move(others)},
            {"points", std::move(all)}};
}

} // namespace lanescope::app
