// Words a cost: as a number with its unit, and as the change between two sides.
#include "app/draw/subjects/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/draw/subjects/subject_kind.h"
#include "app/measure/ratios.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

std::string number_words(double value)
{
    if (value == std::round(value) && value >= 0) return grouped(static_cast<std::uint64_t>(value));
    return significant(value);
}

// "2 wavefronts", "1 wavefront", "8× sectors", "75 %".
std::string with_unit(double value, const std::string& unit)
{
    const std::string number = number_words(value);
    if (unit.starts_with("×")) return number + unit;
    const bool counts = !unit.starts_with("of ") && unit != "%";
    return fmt::format("{} {}{}", number, unit, counts && value != 1 ? "s" : "");
}

Cost of_ratio(labs::Ratio ratio, const std::string& item)
{
    using enum labs::Ratio;
    const std::string one = item.ends_with('s') ? item.substr(0, item.size() - 1) : item;
    switch (ratio) {
    case sectors_per_load: return {.unit = "sector", .meaning = "of 32 B per global load request"};
    case sectors_per_store:
        return {.unit = "sector", .meaning = "of 32 B per global store request"};
    case sectors_over_ideal:
        return {.unit = "× sectors", .meaning = "relative to the ideal", .ideal = 1};
    case wavefronts_over_ideal:
        return {.unit = "× wavefronts", .meaning = "relative to conflict-free", .ideal = 1};
    case lanes_per_instruction:
        return {.unit = "of 32 lanes",
                .meaning = "active per warp instruction",
                .ideal = 32,
                .more_is_better = true};
    case instructions_per_item: break;
    }
    return {.unit = "instruction",
            .meaning = fmt::format("by warps, per {}", one.empty() ? "item" : one)};
}

} // namespace

bool Cost::is_ideal() const
{
    constexpr double near = 1e-6;
    if (!ideal) return false;
    return more_is_better ? value >= *ideal * (1 - near) : value <= *ideal * (1 + near);
}

std::string Cost::amount() const
{
    return with_unit(value, unit);
}

std::string Cost::words() const
{
    return is_ideal() ? "ideal" : amount();
}

std::string Cost::explained() const
{
    const std::string_view joint = meaning.starts_with("of ") ? " " : ", "; // 75 % of …
    if (is_ideal()) return fmt::format("{}{}{}", amount(), joint, meaning);
    return ideal ? fmt::format("{} · ideal {}", meaning, number_words(*ideal)) : meaning;
}

std::optional<Cost> recorded_cost(const SideFrame& side)
{
    const auto& named = side.lab->opens.cost;
    if (!named || side.trace->sites.empty()) return {};
    const double items = side.facts.work.items * side.variant->steps; // of the launch
    const auto value = trace::value(meant_by(*named), side.trace->totals(), items);
    if (!value) return {};
    Cost cost = of_ratio(*named, side.facts.work.item);
    cost.value = *value;
    return cost;
}

std::optional<Cost> share_taken(const SideFrame& side)
{
    const auto* slots =
        side.picture ? std::get_if<labs::SlotsPicture>(&side.picture->shape) : nullptr;
    if (!slots) return {};
    for (const auto& row : slots->rows) {
        if (row.share.empty() || row.capacity <= 0) continue;
        const double taken = static_cast<double>(slots->occupants()) * row.taken / row.capacity;
        return Cost{.value = std::min(100.0, std::round(100 * taken)),
                    .unit = "%",
                    .meaning = row.share,
                    .ideal = 100,
                    .more_is_better = true};
    }
    return {};
}

std::optional<Cost> cost_of(const SideFrame& side, const Look& look)
{
    const SubjectKind& shown = shown_subject(look, *side.lab);
    return shown.cost ? shown.cost(side, look) : std::nullopt;
}

PaidChange change_between(const Cost& from, const Cost& to)
{
    const bool better = to.more_is_better ? to.value > from.value : to.value < from.value;
    if (from.unit != to.unit) return {from.amount(), to.amount(), "", to.is_ideal()};
    const double more = std::max(from.value, to.value);
    const std::string unit = with_unit(more, to.unit).substr(number_words(more).size());
    const std::string::size_type first = unit.find_first_not_of(' ');
    return {number_words(from.value), number_words(to.value),
            first == std::string::npos ? "" : unit.substr(first), to.is_ideal() || better};
}

} // namespace lanescope::app
