// Converts between launches and steps: a launch may make several simulation steps
// (labs::Variant::steps), and per-step numbers refer to one of them.
#pragma once

#include <cstdint>

#include "compute/experiment/lab/lab.h"
#include "compute/spread.h"

namespace lanescope::app {

inline labs::Work per_step(const labs::Work& per_launch, int steps)
{
    return {per_launch.bytes / steps, per_launch.flops / steps, per_launch.items / steps,
            per_launch.item};
}

inline Spread per_step(const Spread& per_launch, int steps)
{
    return {per_launch.count, per_launch.median / steps, per_launch.p10 / steps,
            per_launch.p90 / steps};
}

// Number of launches for at least this many steps.
inline std::int64_t launches_for(const labs::Variant& variant, std::int64_t steps)
{
    return steps / variant.steps + (steps % variant.steps > 0 ? 1 : 0);
}

} // namespace lanescope::app
