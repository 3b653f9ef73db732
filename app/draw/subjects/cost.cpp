// Formats a cost: as a number with its unit, and as the change between two sides.
#include "app/draw/subjects/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "app/draw/scene/timeline_words.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/measure/ratios.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

constexpr int warp_items = 32; // one per lane

std::string number_words(double value)
{
    if (value == std::round(value) && value >= 0) return grouped(static_cast<std::uint64_t>(value));
    return value >= 1000 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                         : significant(value);
}

// "2 wavefronts", "1 wavefront", "8× sectors", "75%".
// Symbols of units, such as KiB, have no plural.
bool is_symbol(const std::string& unit)
{
    return std::ranges::any_of(unit, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string with_unit(double value, const std::string& unit)
{
    const std::string number = number_words(value);
    if (unit.starts_with("×") || unit == "%") return number + unit;
    const bool counts = !unit.starts_with("of ") && !is_symbol(unit);
    const char* const ending = !counts || value == 1 ? "" : unit.ends_with('s') ? "es" : "s";
    return fmt::format("{} {}{}", number, unit, ending);
}

// The source line whose branches diverge most often, and the share of them that does.
struct DivergentLine {
    int line = 0;
    double share = 0;
};

DivergentLine line_of_max_divergence(const trace::Trace& trace)
{
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> lines; // divergent, all
    for (std::size_t i = 0; i < std::min(trace.sites.size(), trace.counts.size()); ++i) {
        if (trace.sites[i].op != trace::Op::branch) continue;
        auto& [divergent, all] = lines[trace.sites[i].line];
        divergent += trace.counts[i].divergent;
        all += trace.counts[i].executions;
    }
    DivergentLine found;
    std::uint64_t max = 0;
    for (const auto& [line, counts] : lines) {
        if (counts.first <= max) continue;
        max = counts.first;
        found = {line, static_cast<double>(counts.first) / static_cast<double>(counts.second)};
    }
    return found;
}

Cost cost_from_ratio(labs::Ratio ratio, const std::string& items)
{
    using enum labs::Ratio;
    std::string one = items.ends_with('s') ? items.substr(0, items.size() - 1) : items;
    if (one.empty()) one = "item";
    switch (ratio) {
    case sectors_per_load: return {.unit = "sector", .meaning = "per global load, mean of all"};
    case sectors_per_store: return {.unit = "sector", .meaning = "per global store, mean of all"};
    case sectors_over_ideal:
        return {.unit = "× sectors", .meaning = "relative to the ideal", .ideal = 1};
    case wavefronts_over_ideal:
        return {.unit = "× wavefronts", .meaning = "relative to conflict-free", .ideal = 1};
    case lanes_per_instruction:
        return {.unit = "of 32 lanes",
                .meaning = "active, mean of all instructions",
                .ideal = 32,
                .higher_is_better = true};
    case bytes_per_item: return {.unit = "byte", .meaning = fmt::format("via L1 per {}", one)};
    case instructions_per_item: break;
    }
    return {.unit = "warp instruction",
            .meaning = fmt::format("per {} {}", warp_items, items.empty() ? "items" : items)};
}

} // namespace

bool Cost::is_within(double share) const
{
    if (!ideal) return false;
    return higher_is_better ? value >= *ideal * (1 - share) : value <= *ideal * (1 + share);
}

std::string Cost::amount() const
{
    return with_unit(value, unit);
}

std::string Cost::ideal_words() const
{
    if (!ideal) return {};
    if (is_ideal() && typical) return "ideal";
    const std::string ideal_text = "ideal " + number_words(*ideal);
    return ideal_of.empty() ? ideal_text : fmt::format("{}: {}", ideal_text, ideal_of);
}

std::string Cost::explained() const
{
    return ideal ? fmt::format("{} · {}", meaning, ideal_words()) : meaning;
}

std::optional<Cost> judged_cost(const SideFrame& side)
{
    const auto& judged = side.lab->opens.cost;
    if (!judged) return {};
    Cost cost{.unit = judged->unit,
              .meaning = judged->meaning,
              .higher_is_better = judged->higher_is_better};
    if (judged->ratio) {
        if (side.trace->sites.empty()) return {};
        const labs::Work& work = side.facts.work;
        const double items = work.items * side.variant->steps; // per launch
        const auto value = trace::value(to_ratio(*judged->ratio), side.trace->totals(), items);
        if (!value) return {};
        cost = cost_from_ratio(*judged->ratio, work.item);
        cost.value = *value;
        if (*judged->ratio == labs::Ratio::instructions_per_item) cost.value *= warp_items;
        if (*judged->ratio == labs::Ratio::bytes_per_item && work.items > 0 && work.bytes > 0)
            cost.ideal = work.bytes / work.items;
        if (!judged->has_ideal) cost.ideal.reset();
        // A mean over all instructions hides branches that diverge for few of them.
        if (*judged->ratio == labs::Ratio::lanes_per_instruction)
            if (const auto [line, share] = line_of_max_divergence(*side.trace); share > 0) {
                cost.meaning = fmt::format("active; {}: {}% diverge",
                                           line > 0 ? fmt::format("line {}", line) : "branches",
                                           significant(100 * share));
                cost.typical = share < 0.01;
            }
    } else {
        if (!side.judged.value) return {};
        cost.value = *side.judged.value;
    }
    if (side.judged.ideal) cost.ideal = side.judged.ideal;
    cost.ideal_of = judged->ideal_of;
    return cost;
}

namespace {

std::optional<Cost> slots_taken(const labs::SlotsPicture& slots)
{
    for (const auto& row : slots.rows) {
        if (row.meaning.empty() || row.capacity <= 0) continue;
        const double taken = static_cast<double>(slots.occupants()) * row.taken / row.capacity;
        return Cost{.value = std::min(100.0, std::round(100 * taken)),
                    .unit = "%",
                    .meaning = row.meaning,
                    .ideal = 100,
                    .higher_is_better = true};
    }
    return {};
}

std::optional<Cost> timeline_cost(const labs::TimelinePicture& picture)
{
    if (const auto bytes = host_bytes_per_frame(*picture.timeline))
        return Cost{.value = *bytes / 1e6,
                    .unit = "MB",
                    .meaning = "per frame through the host",
                    .ideal = 0};
    if (const auto waiting = waiting_of(*picture.timeline))
        return Cost{.value = std::round(100 * *waiting),
                    .unit = "%",
                    .meaning = "of the step spent waiting",
                    .ideal = 0};
    const auto share = overlap_of(*picture.timeline);
    if (!share) return {};
    return Cost{.value = std::round(100 * *share),
                .unit = "%",
                .meaning = "of the possible overlap",
                .ideal = 100,
                .higher_is_better = true};
}

// Columns in which one row's number exceeds another's; a gap does not.
std::optional<Cost> cells_later(const labs::LabelsPicture& labels)
{
    if (!labels.later || std::max(labels.later->row, labels.later->than) >= labels.height)
        return {};
    int later = 0;
    for (int x = 0; x < labels.width; ++x)
        later += labels.at(x, labels.later->row, labels.shown) >
                 std::max(labels.at(x, labels.later->than, labels.shown), -1);
    return Cost{.value = static_cast<double>(later),
                .unit = fmt::format("of {}", labels.width),
                .meaning = labels.later->meaning,
                .ideal = static_cast<double>(labels.width),
                .higher_is_better = true};
}

} // namespace

std::optional<Cost> share_taken(const SideFrame& side)
{
    if (!side.picture) return {};
    const labs::Picture& shape = side.picture->shape;
    if (const auto* slots = std::get_if<labs::SlotsPicture>(&shape)) return slots_taken(*slots);
    if (const auto* timeline = std::get_if<labs::TimelinePicture>(&shape))
        return timeline_cost(*timeline);
    if (const auto* labels = std::get_if<labs::LabelsPicture>(&shape)) return cells_later(*labels);
    return {};
}

std::optional<Cost> share_from_l1(const trace::ServedBy& served)
{
    const trace::Served sum = served.sum();
    if (!served.unavailable.empty() || sum.l1 + sum.l2 == 0) return {};
    const auto percent = [&](std::uint64_t part) {
        return 100 * static_cast<double>(part) / static_cast<double>(sum.read());
    };
    Cost cost{.value = std::round(10 * percent(sum.l1)) / 10,
              .unit = "%",
              .meaning = "of the sectors from L1",
              .higher_is_better = true};
    // Warm caches: L2 serves sectors that L1 cannot have seen yet.
    if (served.warm) return cost;
    cost.ideal = std::round(10 * percent(sum.l1 + sum.l2)) / 10;
    cost.ideal_of = "all that a cache serves";
    return cost;
}

std::optional<Cost> cost_of(const SideFrame& side, const Look& look)
{
    if (side.lab == nullptr) return {}; // nothing could be started yet
    const SubjectKind& shown = shown_subject(look, *side.lab);
    const auto& judged = side.lab->opens.cost;
    if (judged && judged->leads && opens_on(*side.lab, shown))
        if (auto cost = judged_cost(side)) return cost;
    return shown.cost ? shown.cost(side, look) : std::nullopt;
}

PaidChange change_between(const Cost& from, const Cost& to)
{
    const bool better = to.higher_is_better ? to.value > from.value : to.value < from.value;
    const bool falls = !from.higher_is_better && !to.higher_is_better;
    // Sectors and wavefronts, or requests of different widths, compare as multiples of their
    // ideals.
    if (const auto one = from.ideal.value_or(0), other = to.ideal.value_or(0);
        falls && one > 0 && other > 0 && (from.unit != to.unit || one != other)) {
        const double less = from.value / one, more = to.value / other;
        return {number_words(less) + "×", number_words(more) + "×", "the ideal",
                to.is_nearly_ideal() || more < less};
    }
    if (from.unit != to.unit) return {from.amount(), to.amount(), "", to.is_nearly_ideal()};
    const double more = std::max(from.value, to.value);
    const std::string unit = with_unit(more, to.unit).substr(number_words(more).size());
    const std::string::size_type first = unit.find_first_not_of(' ');
    return {number_words(from.value), number_words(to.value),
            first == std::string::npos ? "" : unit.substr(first), to.is_nearly_ideal() || better};
}

} // namespace lanescope::app
