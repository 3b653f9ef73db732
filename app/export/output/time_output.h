// The predicted time of a launch, and what limits it, as text and JSON: output of `trace --time`
// and `emulate --time`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

#include "compute/predicted/prediction.h"

namespace lanescope::app {

struct TimeReport {
    std::string gpu;         // "H100"
    std::string before;      // contents of the caches: "cold" or "warm"
    std::string unavailable; // why there is no prediction, as a sentence; else empty
    predicted::Work work{};
    predicted::Prediction prediction{};
    // The line with the largest part of the limiting unit's work, of the sites alone.
    struct Line {
        std::string access; // "line 24, global load"
        double share = 0;   // of the unit's work
    };
    std::optional<Line> costliest{};
    // The change whose predicted gain is largest, if any gains 5%.
    struct Change {
        std::string how; // "without bank conflicts"
        double us = 0;
    };
    std::optional<Change> better{};
    std::vector<std::string> notes{}; // sentences about parts of the launch outside the model
};

// Fills the report for a launch of the function.
void fill_time(TimeReport& report, const assembled::SassFunction& function,
               const counting::Gpu& gpu, const predicted::Launch& launch);

nlohmann::ordered_json time_json(const TimeReport& report);
std::string time_text(const TimeReport& report);

} // namespace lanescope::app
