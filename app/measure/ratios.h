// The words of a trace's ratios (compute/trace/ratios.h): what they are called in files, in tables
// and on axes, and how their values are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compute/labs/lab.h"
#include "compute/trace/ratios.h"

namespace lanescope::app {

struct RatioText {
    std::string_view id;    // "sectors_per_load", for JSON and CSV
    std::string_view name;  // "sectors/ideal, loads", for a column or a row
    std::string_view title; // with its unit, for an axis
    double low = 0;         // a plot shows from here …
    double high = 0;        // … to here, whatever the data
};
RatioText text(trace::Ratio ratio);

// What a record's name for a ratio stands for.
trace::Ratio meant_by(labs::Ratio named);

// "1.25×", "31.4"; "–" for nothing. The same wherever a ratio stands in words.
std::string in_words(trace::Ratio ratio, const std::optional<double>& value);

} // namespace lanescope::app
