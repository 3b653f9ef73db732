// What the window knows about one variant so far, as plain data for plots and tables.
#pragma once

#include <optional>
#include <string>

#include "app/measure/roofs.h"
#include "app/run/history.h"
#include "compute/labs/lab.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct VariantReading {
    std::string id;
    std::string title;
    int place = 0;      // in the lab's order: its colour and shape in every plot
    bool shown = false; // it runs now
    Spread step_ms;     // of the last ten seconds that it ran; empty where there is no clock
    std::optional<labs::Work> work;      // of one step; none before it ran
    std::optional<trace::Totals> totals; // of its last counted step
    // Of the last ten seconds that it ran; null: nothing yet.
    const History* times_ms = nullptr;
    const History* warp_instructions = nullptr;
    const History* sectors = nullptr; // global

    bool timed() const { return work && step_ms.count > 0 && step_ms.median > 0; }
    double gb_per_s() const { return timed() ? work->bytes / (step_ms.median * 1e6) : 0; }
    double gflop_per_s() const { return timed() ? work->flops / (step_ms.median * 1e6) : 0; }
};

// Why there is no time on simt, as a sentence for every plot that would need one.
inline constexpr const char* no_time =
    "simt has no time: it runs on the CPU, which says nothing about a GPU. Its counts are exact.";

} // namespace lanescope::app
