// Quantities of a counted launch: the one table shared by bars, A/B and exports.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/draw/scene/maps.h"
#include "app/measure/hardware_marks.h"
#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

CountedQuantity sum(const char* name, std::uint64_t (*of)(const trace::Totals&, trace::Scope),
                    std::vector<std::string_view> counts, const char* map)
{
    return {.name = name,
            .axis = fmt::format("{} per step", name),
            .sum = of,
            .counts = std::move(counts),
            .map = map};
}

CountedQuantity quantity(trace::Ratio ratio, const char* map, trace::Scope of = trace::Scope::all)
{
    const RatioText words = text(ratio);
    return {.name = std::string(words.name),
            .axis = std::string(words.title),
            .ratio = ratio,
            .scope = of,
            .counts = counts_in(ratio),
            .map = map,
            .always = of == trace::Scope::all};
}

CountedQuantity launches_from_device()
{
    CountedQuantity launches = sum(
        "launches from the device",
        [](const trace::Totals& totals, trace::Scope) { return totals.device_launches; }, {}, "");
    launches.always = false;
    return launches;
}

std::vector<CountedQuantity> make_quantities()
{
    using enum trace::Ratio;
    using trace::Scope;
    using trace::Totals;
    return {sum(
                "PTX instructions",
                [](const Totals& totals, Scope) { return totals.warp_instructions; }, {},
                "instructions"),
            quantity(lanes_per_instruction, "active_lanes"),
            sum(
                "global sectors",
                [](const Totals& totals, Scope of) { return trace::global(totals, of).sectors; },
                global_sector_counts(), "sectors"),
            quantity(sectors_over_ideal, "sector_excess"),
            quantity(load_sectors_over_ideal, "sector_excess", Scope::loads),
            quantity(store_sectors_over_ideal, "sector_excess", Scope::stores),
            quantity(atomic_sectors_over_ideal, "sector_excess", Scope::atomics),
            sum(
                "shared wavefronts",
                [](const Totals& totals, Scope of) { return trace::shared(totals, of).wavefronts; },
                shared_wavefront_counts(), "wavefronts"),
            quantity(wavefronts_over_ideal, "bank_conflicts"),
            quantity(load_wavefronts_over_ideal, "bank_conflicts", Scope::loads),
            quantity(store_wavefronts_over_ideal, "bank_conflicts", Scope::stores),
            quantity(atomic_wavefronts_over_ideal, "bank_conflicts", Scope::atomics),
            launches_from_device()};
}

} // namespace

std::optional<double> CountedQuantity::of(const VariantReading& one) const
{
    if (!one.totals) return {};
    if (ratio) return one.ratio(*ratio);
    const std::uint64_t whole = sum(*one.totals, scope);
    if (whole == 0 && !always) return {};
    return one.per_step(whole);
}

std::string CountedQuantity::words(double value) const
{
    return ratio ? ratio_text(*ratio, value)
                 : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

const std::vector<CountedQuantity>& counted_quantities()
{
    static const std::vector<CountedQuantity> all = make_quantities();
    return all;
}

std::optional<CountedQuantity> quantity_of_map(const std::string& map, trace::Scope of)
{
    if (map.empty()) return {};
    if (!map_has_scope(map)) of = trace::Scope::all;
    const auto& all = counted_quantities();
    const auto same = std::ranges::find_if(
        all, [&](const CountedQuantity& one) { return one.map == map && one.scope == of; });
    if (same != all.end()) return *same;
    const auto found = std::ranges::find(all, map, &CountedQuantity::map);
    if (found == all.end()) return {};
    CountedQuantity part = *found;
    part.scope = of;
    part.name += fmt::format(", {}", trace::name(of));
    // Marks name loads, stores and atomics in the order of the scopes after "all".
    part.counts = {part.counts.at(static_cast<std::size_t>(of) - 1)};
    part.axis = fmt::format("{} per step", part.name);
    return part;
}

CountText count_text(const CountedQuantity& quantity, const std::string& lab,
                     const VariantReading& one)
{
    const auto value = quantity.of(one);
    if (!value) return {"–", {}};
    CountText text{quantity.words(*value), {}};
    for (const HardwareMark& mark : hardware_marks(lab, one.id, quantity.counts))
        text.note += (text.note.empty() ? "" : "\n") + mark.sentence();
    if (!text.note.empty()) text.text += mark_sign;
    return text;
}

} // namespace lanescope::app
