// What the two sides of an experiment are to do next, by the plan and by what they have come to.
// Reads and changes nothing.
#pragma once

#include <optional>
#include <string>

#include "app/run/plan.h"
#include "app/run/side.h"

namespace lanescope::app {

struct Schedule {
    const Plan& plan;
    std::int64_t steps = 0; // single ones that were asked for
    bool waits = false;     // WorkerOptions::waits
    bool has_clock = false; // the device has
    bool sweep_runs = false;
    const MeasuredLive& measured;
    const Side& leader;
    const Side* comparison = nullptr;

    // Nothing where nothing is due.
    std::optional<Side::Work> leader_work() const;
    std::optional<Side::Work> comparison_work() const;
    // Whether both have a picture of the same step.
    bool together() const;
    // Whether the difference of the two is to be computed, once for each picture.
    bool difference_is_wanted() const;
    // Whether the GPU is known to be done with it so soon that OpenGL can queue behind it.
    bool is_quick(const Side& side, const Side::Work& work) const;

private:
    Counting counting(const Side& side) const;
    std::string view() const;
    bool recounts(const Side& side) const;
    std::int64_t steps_on_clock(const Side& side, std::int64_t wanted) const;
};

} // namespace lanescope::app
