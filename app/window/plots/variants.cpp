// The variants as bars, and the occupancy of the current kernel.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/export/table.h"
#include "app/measure/hardware_marks.h"
#include "app/measure/measurements.h"
#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// Width at which names, numbers and rates still leave a bar visible from the back of a hall.
constexpr float times_width = 34;

// Floating-point operations have a unit of their own; additions and minimums do not.
const char* unit_of(const std::string& rate)
{
    return rate == "fma" ? "TFLOP/s" : "Top/s";
}

// A variant's rate and its share of the roof that bounds the lab: "24.3 TFLOP/s (76%)". A variant
// exceeds the bandwidth of a copy through memory only if its data stay in the L2 cache.
std::string reached(double gb_per_s, double gflop_per_s, const std::string& rate,
                    const Roofs& roofs)
{
    const double roof = rate.empty() ? roofs.copy_gb_per_s : roofs.rate(rate);
    const double value = rate.empty() ? gb_per_s : gflop_per_s;
    std::string text = rate.empty() ? significant(value) + " GB/s"
                                    : fmt::format("{} {}", significant(value / 1e3), unit_of(rate));
    constexpr double max_noise = 0.05;
    if (rate.empty() && roof > 0 && value > (1 + max_noise) * roof) return text + " (fits L2)";
    if (roof > 0)
        text += value < 0.005 * roof ? " (< 1%)" : fmt::format(" ({:.0f}%)", 100 * value / roof);
    return text;
}

render::BarChart timed_bars(std::span<const VariantReading> variants, const std::string& rate,
                            const Roofs& roofs)
{
    render::BarChart chart{.axis = "median of a step, with p10–p90 of the last 10 s"};
    for (const VariantReading& one : variants) {
        render::BarRow row{.name = one.title, .strong = one.shown};
        if (one.timed()) {
            row.value = one.step_ms.median;
            row.low = one.step_ms.p10;
            row.high = one.step_ms.p90;
            row.text = fmt::format("{} · {}", format_time(one.step_ms.median),
                                   reached(one.gb_per_s(), one.gflop_per_s(), rate, roofs));
        } else {
            row.text = "not timed yet";
        }
        chart.rows.push_back(std::move(row));
    }
    return chart;
}

// " (loads 1.00×, stores 8.00×)": the parts of a ratio over all accesses, if there is more than one
// kind.
std::string parts_of(const CountedQuantity& quantity, const VariantReading& one)
{
    using enum trace::Ratio;
    using Part = std::pair<const char*, trace::Ratio>;
    std::vector<Part> parts;
    if (quantity.ratio == sectors_over_ideal)
        parts = {{"loads", load_sectors_over_ideal},
                 {"stores", store_sectors_over_ideal},
                 {"atomics", atomic_sectors_over_ideal}};
    if (quantity.ratio == wavefronts_over_ideal)
        parts = {{"loads", load_wavefronts_over_ideal},
                 {"stores", store_wavefronts_over_ideal},
                 {"atomics", atomic_wavefronts_over_ideal}};
    std::erase_if(parts, [&](const Part& part) { return !one.ratio(part.second); });
    if (parts.size() < 2) return {};
    std::string words;
    for (const auto& [name, ratio] : parts)
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name,
                             ratio_text(ratio, one.ratio(ratio)));
    return " (" + words + ")";
}

render::BarChart counted_bars(const labs::Lab& lab, std::span<const VariantReading> variants,
                              const CountedQuantity& quantity)
{
    render::BarChart chart{.axis = quantity.axis};
    for (const VariantReading& one : variants) {
        render::BarRow row{.name = one.title, .strong = one.shown};
        // No bar if it was counted at another size, because readers would compare the lengths.
        if (const auto value = quantity.of(one); value && one.reduced.empty())
            row.value = row.low = row.high = *value;
        row.text = one.totals ? count_text(quantity, lab.id, one).text + parts_of(quantity, one)
                              : one.uncounted;
        if (one.totals && !one.reduced.empty())
            row.text += fmt::format(" at {} (the shown size takes too long)", one.reduced);
        chart.rows.push_back(std::move(row));
    }
    return chart;
}

// The notes that the bars' marks refer to.
std::string notes_of(const labs::Lab& lab, std::span<const VariantReading> variants,
                     const CountedQuantity& quantity)
{
    std::string notes;
    for (const VariantReading& one : variants)
        if (const std::string note = count_text(quantity, lab.id, one).note; !note.empty())
            notes += fmt::format(" {} {}: {}", mark_sign, one.title, note);
    return notes;
}

// The rate that bounds the lab, if it was recorded together with its roof.
std::string recorded_rate(const Measured& one, const Measurements& recorded,
                          const std::string& rate)
{
    return one.gflop_per_s && recorded.roofs_of(one.on).rate(rate) > 0 ? rate : "";
}

// `usual` is the device and date of most rows; a row recorded elsewhere says so.
render::BarRow recorded_row(const Measured& one, const Measurements& recorded,
                            const std::string& rate, const MeasuredOn& usual)
{
    render::BarRow row{
        .name = one.variant, .value = one.median_ms, .low = one.p10_ms, .high = one.p90_ms};
    row.text = fmt::format("{} · {}", format_time(one.median_ms),
                           reached(one.gb_per_s, one.gflop_per_s.value_or(0),
                                   recorded_rate(one, recorded, rate), recorded.roofs_of(one.on)));
    if (one.on != usual) row.text += ", " + one.on.words();
    return row;
}

// Variants in the lab's order, then the peers measured with them.
render::BarChart recorded_bars(const labs::Lab& lab, std::span<const VariantReading> variants,
                               const Measurements& recorded, const BarsOf& about)
{
    const auto times = recorded.shown_of(lab.id, about.values, about.size);
    const MeasuredOn on = times.empty() ? MeasuredOn{} : times.front()->on;
    const std::string size = times.empty() ? "" : size_in_words(lab, *times.front());
    render::BarChart chart{.title = "Recorded on " + without_vendor(on.device) +
                                    (size.empty() ? "" : ", " + size),
                           .axis = "median of a step, p10–p90",
                           .may_race = true};
    for (const VariantReading& one : variants) {
        const auto found = std::ranges::find_if(times, [&](const Measured* measured) {
            return !measured->is_peer && measured->variant == one.id;
        });
        render::BarRow row{.text = "not recorded"};
        if (about.withheld.contains(one.id))
            row.text = "?";
        else if (found != times.end())
            row = recorded_row(**found, recorded, lab.rate, on);
        row.name = one.title;
        row.strong = one.shown;
        chart.rows.push_back(std::move(row));
    }
    for (const Measured* one : times)
        if (one->is_peer) chart.rows.push_back(recorded_row(*one, recorded, lab.rate, on));
    return chart;
}

const PredictedStep* first_predicted(std::span<const VariantReading> variants)
{
    const auto found =
        std::ranges::find_if(variants, [](const auto& one) { return one.predicted.has_value(); });
    return found == variants.end() ? nullptr : &*found->predicted;
}

// Lines mark the range of nine in ten measured launches with the same limit.
render::BarChart predicted_bars(std::span<const VariantReading> variants, const BarsOf& about)
{
    render::BarChart chart{.title = fmt::format("Predicted for {}", first_predicted(variants)->gpu),
                           .axis = "time of a step at these values, a model",
                           .may_race = true};
    for (const VariantReading& one : variants) {
        render::BarRow row{.name = one.title, .text = "not predicted", .strong = one.shown};
        if (about.withheld.contains(one.id)) {
            row.text = "?";
        } else if (one.predicted) {
            const PredictedStep& made = *one.predicted;
            row.value = made.ms;
            row.low = made.ms * std::max(1 - made.ninety_percent_error, 0.0);
            row.high = made.ms * (1 + made.ninety_percent_error);
            row.text = fmt::format("{} · limited by {}", format_time(made.ms), made.limit);
        }
        chart.rows.push_back(std::move(row));
    }
    return chart;
}

// Occupancy as a share of what each resource alone would allow: a full bar is the limiting
// resource.
render::BarChart occupancy_bars(const KernelNeeds& kernel)
{
    const counting::Occupancy& fits = *kernel.occupancy;
    using Limit = counting::OccupancyLimit;
    render::BarChart chart{.axis =
                               fmt::format("{}: {:g}% occupancy",
                                           counted(static_cast<std::size_t>(fits.blocks), "block"),
                                           std::round(1000 * fits.fraction()) / 10)};
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
    add(Limit::warps, fits.warp_limit);
    add(Limit::blocks, fits.block_limit);
    add(Limit::registers, fits.register_limit);
    add(Limit::shared_memory, fits.shared_memory_limit, kernel.shared_bytes > 0);
    return chart;
}

// The kernel's resource needs, and the device limits that shares refer to.
std::string words_of(const KernelNeeds& kernel, bool has_clock, const std::string& rate,
                     const Roofs& roofs)
{
    std::string words;
    if (!kernel.name.empty())
        words = fmt::format(
            "{}: {}{} bytes of shared memory, {} threads per block", kernel.name,
            // The registers of PTX are virtual and say nothing about a multiprocessor's.
            kernel.compiled ? fmt::format("{} registers per thread, ", kernel.registers) : "",
            grouped(static_cast<std::uint64_t>(kernel.shared_bytes)), kernel.threads);
    if (kernel.occupancy)
        words += fmt::format(". {} of {} warps of a multiprocessor, limited by {}",
                             kernel.occupancy->warps, kernel.occupancy->maximum_warps,
                             counting::name(kernel.occupancy->limit));
    if (has_clock && !rate.empty() && roofs.rate(rate) > 0)
        words += fmt::format(". 100% = {} of this GPU, {} {} measured", rate_words(rate),
                             significant(roofs.rate(rate) / 1e3), unit_of(rate));
    else if (has_clock && rate.empty() && roofs.copy_gb_per_s > 0)
        words += fmt::format(". 100% = copy bandwidth of this GPU, {} GB/s measured",
                             significant(roofs.copy_gb_per_s));
    return words;
}

// Describes the recorded times: their device and size.
std::string words_of_recorded(const labs::Lab& lab, const Measurements& recorded,
                              const Measured& first)
{
    const Roofs there = recorded.roofs_of(first.on);
    const std::string own_rate = recorded_rate(first, recorded, lab.rate);
    const std::string size = size_in_words(lab, first);
    const std::string roof =
        own_rate.empty()
            ? fmt::format("copy bandwidth of this GPU, {} GB/s", significant(there.copy_gb_per_s))
            : fmt::format("{} of this GPU, {} {}", rate_words(own_rate),
                          significant(there.rate(own_rate) / 1e3), unit_of(own_rate));
    return fmt::format("Recorded times: {}{}{}; 100% = {}", first.on.words(),
                       size.empty() ? "" : ", at ", size, roof);
}

Table table_of(const labs::Lab& lab, std::span<const VariantReading> variants, const Roofs& roofs,
               const Measurements* recorded, const BarsOf& about)
{
    std::vector<Table::Column> columns{
        {"variant"},       {"median µs", true},   {"p10 µs", true},   {"p90 µs", true},
        {"samples", true}, {"useful GB/s", true}, {"% of copy", true}};
    const std::size_t own = columns.size();
    for (const CountedQuantity& quantity : counted_quantities())
        columns.push_back({quantity.axis, true});
    const bool predicted = first_predicted(variants) != nullptr;
    if (predicted)
        columns.insert(columns.end(), {{"predicted µs", true}, {"limited by"}, {"predicted for"}});
    if (recorded)
        columns.insert(columns.end(),
                       {{"recorded µs", true}, {"recorded GB/s", true}, {"recorded on"}});
    Table table(std::move(columns));
    const auto times = recorded ? recorded->shown_of(lab.id, about.values, about.size)
                                : std::vector<const Measured*>{};
    const auto recording = [&](bool peer, const std::string& id) -> std::vector<std::string> {
        if (!recorded) return {};
        if (!peer && about.withheld.contains(id)) return {"", "", ""};
        for (const Measured* one : times)
            if (one->is_peer == peer && one->variant == id)
                return {significant(one->median_ms * 1e3, 4), significant(one->gb_per_s, 4),
                        one->on.words()};
        return {"", "", ""};
    };
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
        for (const CountedQuantity& quantity : counted_quantities()) {
            const auto value = quantity.of(one);
            row.push_back(value ? fmt::format("{}", *value) : "");
        }
        if (predicted && one.predicted && !about.withheld.contains(one.id))
            row.insert(row.end(), {significant(one.predicted->ms * 1e3, 4), one.predicted->limit,
                                   one.predicted->gpu});
        else if (predicted)
            row.insert(row.end(), 3, "");
        for (std::string& cell : recording(false, one.id)) row.push_back(std::move(cell));
        table.add(std::move(row));
    }
    for (const Measured* one : times) {
        if (!one->is_peer) continue;
        std::vector<std::string> row(own + counted_quantities().size() + (predicted ? 3 : 0));
        row[0] = one->variant;
        for (std::string& cell : recording(true, one->variant)) row.push_back(std::move(cell));
        table.add(std::move(row));
    }
    return table;
}

} // namespace

Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, const Clock& clock, const BarsOf& about)
{
    const auto& [has_clock, roofs] = clock;
    const auto shown = shown_measurements(has_clock);
    const Measurements* recorded = shown.get();
    const auto times = recorded ? recorded->shown_of(lab.id, about.values, about.size)
                                : std::vector<const Measured*>{};
    if (times.empty()) recorded = nullptr; // recorded for other labs only
    std::string words = words_of(kernel, has_clock, lab.rate, roofs);
    if (recorded)
        words += (words.empty() ? "" : ". ") + words_of_recorded(lab, *recorded, *times.front());
    if (!words.empty()) words += '.';
    Exhibit exhibit{.name = "variants",
                    .title = lab.title + ": variants",
                    .words = std::move(words),
                    .parts = {},
                    .table = table_of(lab, variants, roofs, recorded, about)};
    // Time first; without a clock, the recorded time of another machine.
    const bool predicted = first_predicted(variants) != nullptr;
    if (recorded && !has_clock)
        exhibit.parts.push_back({recorded_bars(lab, variants, *recorded, about), 3, times_width});
    if (predicted) {
        exhibit.parts.push_back({predicted_bars(variants, about), 3, times_width});
        exhibit.words +=
            (exhibit.words.empty() ? "" : " ") +
            std::string("Predicted times: a model, after the same step; lines mark the range of "
                        "nine in ten measured launches with the same limit.");
    }
    if (has_clock) exhibit.parts.push_back({timed_bars(variants, lab.rate, roofs), 3, times_width});
    const auto mapped = quantity_of_map(about.map, about.of);
    if (!has_clock || mapped) {
        const CountedQuantity& quantity = mapped ? *mapped : counted_quantities().front();
        render::BarChart chart = counted_bars(lab, variants, quantity);
        if (!has_clock) chart.axis += "; simt shows no times";
        exhibit.parts.push_back({std::move(chart), 3});
        exhibit.words += notes_of(lab, variants, quantity);
    }
    if (recorded && has_clock)
        exhibit.parts.push_back({recorded_bars(lab, variants, *recorded, about), 3});
    if (kernel.occupancy) exhibit.parts.push_back({occupancy_bars(kernel), 2});
    return exhibit;
}

} // namespace lanescope::app
