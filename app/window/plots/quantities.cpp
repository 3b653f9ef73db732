// What was counted of a launch, number by number: bars, A/B and exports say the same by this table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/export/table.h"
#include "app/measure/hardware_marks.h"
#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"

namespace lanescope::app {
namespace {

CountedQuantity sum(const char* name, std::uint64_t (*of)(const trace::Totals&),
                    std::vector<std::string_view> counts, const char* map)
{
    return {.name = name,
            .axis = fmt::format("{} a step", name),
            .sum = of,
            .counts = std::move(counts),
            .map = map};
}

CountedQuantity quantity(trace::Ratio ratio, bool always, const char* map)
{
    const RatioText words = text(ratio);
    return {.name = std::string(words.name),
            .axis = std::string(words.title),
            .ratio = ratio,
            .counts = counts_in(ratio),
            .map = map,
            .always = always};
}

std::vector<CountedQuantity> make_quantities()
{
    using enum trace::Ratio;
    return {sum(
                "PTX instructions", [](const trace::Totals& t) { return t.warp_instructions; }, {},
                "instructions"),
            quantity(lanes_per_instruction, true, "active_lanes"),
            sum(
                "global sectors", [](const trace::Totals& t) { return trace::global(t).sectors; },
                global_sector_counts(), "sectors"),
            quantity(sectors_over_ideal, true, "sector_excess"),
            quantity(load_sectors_over_ideal, false, ""),
            quantity(store_sectors_over_ideal, false, ""),
            quantity(atomic_sectors_over_ideal, false, ""),
            sum(
                "shared wavefronts",
                [](const trace::Totals& t) { return trace::shared(t).wavefronts; },
                shared_wavefront_counts(), "wavefronts"),
            quantity(wavefronts_over_ideal, true, "bank_conflicts"),
            quantity(load_wavefronts_over_ideal, false, ""),
            quantity(store_wavefronts_over_ideal, false, ""),
            quantity(atomic_wavefronts_over_ideal, false, "")};
}

} // namespace

std::optional<double> CountedQuantity::of(const VariantReading& one) const
{
    if (!one.totals) return {};
    return ratio ? one.ratio(*ratio) : one.per_step(sum(*one.totals));
}

std::string CountedQuantity::words(double value) const
{
    return ratio ? in_words(*ratio, value)
                 : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

const std::vector<CountedQuantity>& counted_quantities()
{
    static const std::vector<CountedQuantity> all = make_quantities();
    return all;
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
