// The numbers that a trace can be reduced to, with their words.
#pragma once

#include <optional>
#include <string_view>

#include "compute/labs/lab.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct RatioText {
    std::string_view id;    // "sectors_per_load", for JSON and CSV
    std::string_view title; // with its unit, for an axis
    double low = 0;         // a plot shows from here …
    double high = 0;        // … to here, whatever the data
};
RatioText text(labs::Ratio ratio);

inline constexpr labs::Ratio all_ratios[] = {
    labs::Ratio::sectors_per_load,      labs::Ratio::sectors_per_store,
    labs::Ratio::sectors_over_ideal,    labs::Ratio::wavefronts_over_ideal,
    labs::Ratio::lanes_per_instruction, labs::Ratio::instructions_per_item};

// Nothing where a step did none of what the ratio is about. `items` are those of the step's Work.
std::optional<double> value(labs::Ratio ratio, const trace::Totals& totals, double items);

// Of loads, stores and atomics.
std::uint64_t global_sectors(const trace::Totals& totals);

} // namespace lanescope::app
