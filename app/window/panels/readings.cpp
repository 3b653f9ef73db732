// See readings.h. A number never stands without its unit, its sample and its engine.
#include "app/window/panels/readings.h"

#include <fmt/format.h>

#include "app/export/table.h"

namespace lanescope::app {

Headline headline_of(const Readings& readings)
{
    if (!readings.has_clock)
        return {fmt::format("{} steps/s", significant(readings.steps_per_s)),
                "simulated on the CPU; not a GPU's time"};
    if (readings.step_ms.count == 0) return {"–", "no launch has been timed yet"};
    const auto in_words = [](double ms) {
        return ms < 1 ? fmt::format("{} µs", significant(ms * 1e3))
                      : fmt::format("{} ms", significant(ms));
    };
    const std::string own = in_words(readings.step_ms.median);
    if (readings.rival_step_ms.count > 0)
        return {own + " | " + in_words(readings.rival_step_ms.median),
                fmt::format("a step of each on {}, medians of the last 10 s", readings.engine)};
    return {own, fmt::format("a step on {}, median of {} in the last 10 s", readings.engine,
                             readings.step_ms.count)};
}

} // namespace lanescope::app
