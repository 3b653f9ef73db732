// Chooses the experiment's last step, because its picture is on screen, and limits the time for
// repeating the earlier steps.
#include "app/run/debug/debug_start.h"

#include <algorithm>

namespace lanescope::app {

DebugStart debug_start(const SideFrame& side, const StepChoice& step)
{
    constexpr double max_replay_s = 10;
    const labs::Lab& lab = *side.lab;
    return {.lab = &lab,
            .variant = side.variant,
            .values = start_values(lab, *side.start),
            .seed = side.start->seed,
            .image = side.start->image,
            .launches_before = std::max<std::int64_t>(side.launches - 1, 0),
            .text = step.optimised ? SteppedText::as_optimised : SteppedText::as_written,
            .checks = true,
            .first = &labs::find_variant(lab, side.start->variant),
            .events = *side.events,
            .max_replay_s = max_replay_s,
            .runs_on = {},
            .held = side.held};
}

} // namespace lanescope::app
