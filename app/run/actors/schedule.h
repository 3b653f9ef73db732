// Decides what the two sides of an experiment do next, from the plan and their state. Has no side
// effects.
#pragma once

#include <optional>
#include <string>

#include "app/run/frame/plan.h"
#include "app/run/side/side.h"

namespace lanescope::app {

struct Schedule {
    const Plan& plan;
    std::int64_t steps = 0; // requested single steps
    bool waits = false;     // WorkerOptions::waits
    bool has_clock = false; // the device can measure time
    bool sweep_runs = false;
    const MeasuredLive& measured;
    const Side& leader;
    const Side* comparison = nullptr;

    // Empty if nothing is due.
    std::optional<Side::Work> leader_work() const;
    std::optional<Side::Work> comparison_work() const;
    // True if both sides have a picture of the same step.
    bool together() const;
    // True if the difference between the two sides should be computed, once per picture.
    bool difference_is_wanted() const;
    // True if the GPU is known to finish this work so soon that drawing may be queued behind it
    // without waiting.
    bool is_quick(const Side& side, const Side::Work& work) const;

private:
    Counting counting(const Side& side) const;
    std::string view() const;
    bool recounts(const Side& side) const;
    std::int64_t steps_on_clock(const Side& side, std::int64_t wanted) const;
};

} // namespace lanescope::app
