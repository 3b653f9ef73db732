// Converts between launches and steps: a launch may make several simulation steps
// (labs::Variant::steps), and per-step numbers refer to one of them.
#pragma once

#include <cstdint>

#include "compute/labs/lab.h"
#include "compute/spread.h"

namespace lanescope::app {

inline labs::Work per_step(const labs::Work& of_launch, int steps)
{
    return {of_launch.bytes / steps, of_launch.flops / steps, of_launch.items / steps,
            of_launch.item};
}

inline Spread per_step(const Spread& of_launch, int steps)
{
    return {of_launch.count, of_launch.median / steps, of_launch.p10 / steps,
            of_launch.p90 / steps};
}

// Number of launches for at least this many steps.
inline std::int64_t launches_for(const labs::Variant& variant, std::int64_t steps)
{
    return steps / variant.steps + (steps % variant.steps > 0 ? 1 : 0);
}

} // namespace lanescope::app
