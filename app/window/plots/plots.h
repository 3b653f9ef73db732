// What the strip below the picture shows, as plain data that the window, exports and commands draw
// by the same code: bars, history, roofline and source of the running lab.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/export/exhibit.h"
#include "app/run/frame.h"
#include "app/window/plots/source_heat.h"

namespace lanescope::app {

// What is known about one variant so far.
struct VariantReading {
    std::string id;
    std::string title;
    int place = 0;      // in the lab's order: its colour and shape in every plot
    bool shown = false; // it runs now
    Spread step_ms;     // of the last ten seconds that it ran; empty where there is no clock
    std::optional<labs::Work> work;      // of one step; none before it ran
    std::optional<trace::Totals> totals; // of its last counted step
    // Of the last ten seconds that it ran; null: nothing yet.
    std::shared_ptr<const Recent> times_ms;
    std::shared_ptr<const Recent> warp_instructions;
    std::shared_ptr<const Recent> sectors; // global

    bool timed() const { return work && step_ms.count > 0 && step_ms.median > 0; }
    double gb_per_s() const { return timed() ? work->bytes / (step_ms.median * 1e6) : 0; }
    double gflop_per_s() const { return timed() ? work->flops / (step_ms.median * 1e6) : 0; }
};
std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame);

// Why there is no time on simt, as a sentence for every plot that would need one.
inline constexpr const char* no_time =
    "simt has no time: it runs on the CPU, which says nothing about a GPU. Its counts are exact.";

// The lab's variants as bars: their times with the spread, on simt their counts; and how many
// blocks of the shown kernel fit a multiprocessor.
Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, bool has_clock, const Roofs& roofs);

// The last ten seconds of every variant: step times with their spread, on simt the counts.
Exhibit history_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                        bool has_clock);

// The variants under this device's measured roofs: what they compute a second against what they
// compute a byte. Labs that compute nothing get bars against the copy roof.
Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& roofs);

// The kernel's source with its counts, as a page.
Exhibit source_exhibit(const std::string& title, const std::vector<SourceLine>& lines);

// Of plots side by side of the same series the names stand once: beside the last plot that shows
// most of them.
void name_once(std::vector<render::Plot>& plots);

} // namespace lanescope::app
