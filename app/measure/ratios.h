// Names of a trace's ratios (compute/trace/ratios.h) in files, in tables and on axes, and the
// format of their values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compute/experiment/lab/lab.h"
#include "compute/trace/ratios.h"

namespace lanescope::app {

struct RatioText {
    std::string_view id;    // "sectors_per_load", for JSON and CSV
    std::string_view name;  // "sectors/ideal, loads", for a column or a row
    std::string_view title; // with its unit, for an axis
    double low = 0;         // plots show at least from here …
    double high = 0;        // … to here
};
RatioText text(trace::Ratio ratio);

// Returns the ratio that a name in a record stands for.
trace::Ratio to_ratio(labs::Ratio named);

// "1.25×", "31.4"; "–" if empty. Used wherever a ratio appears as text.
std::string ratio_text(trace::Ratio ratio, const std::optional<double>& value);

} // namespace lanescope::app
