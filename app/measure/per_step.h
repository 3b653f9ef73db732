// Launches and steps: a launch may make several steps of the simulated thing
// (labs::Variant::steps), and what is said of a step is a step's.
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

// How many launches make so many steps, or the next more.
inline std::int64_t launches_for(const labs::Variant& variant, std::int64_t steps)
{
    return steps / variant.steps + (steps % variant.steps > 0 ? 1 : 0);
}

} // namespace lanescope::app
