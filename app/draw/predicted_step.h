// The predicted time of a variant's step, where the lockstep machine counted it: on which GPU, its
// limit, and the model's error, in words.
#pragma once

#include <optional>
#include <string>

#include "app/run/frame/frame.h"

namespace lanescope::app {

struct PredictedStep {
    double ms = 0;          // per step, at the current values
    std::string gpu{};      // "H100"
    std::string limit{};    // "DRAM"
    std::string accuracy{}; // "half of measured launches with this limit were within 6%, …"
    // Share of the prediction by which nine in ten launches with this limit differ at most.
    double ninety_percent_error = 0;
    bool validated = false;  // on this GPU
    std::string better{};    // "without bank conflicts: 12 µs"; empty: no change gains 5%
    std::string costliest{}; // "line 12, global load, has 71% of it": of the limit's work

    // Several lines: the time, its limit, the model's error, and what would help.
    std::string tooltip() const;
    // Why the step takes its time: its limit, the costliest line, and what would help.
    std::string reason() const;
    // True if the measured time differs from the prediction by more than its error.
    bool contradicts(double measured_ms) const;
};

// Empty if the variant has not been predicted, or cannot be.
std::optional<PredictedStep> predicted_step(const Frame& frame, const std::string& variant);
// Why there is no prediction, as a sentence; empty if there is one, or none was made yet.
std::string why_unpredicted(const Frame& frame, const std::string& variant);

} // namespace lanescope::app
