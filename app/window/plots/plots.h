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
#include "compute/trace/ratios.h"

namespace lanescope::app {

inline constexpr const char* not_counted_yet = "not counted yet";

// What is known about one variant so far.
struct VariantReading {
    std::string id;
    std::string title;
    int place = 0;      // in the lab's order: its colour and shape in every plot
    bool shown = false; // it runs now
    Spread step_ms;     // of the last ten seconds that it ran; empty where there is no clock
    int steps = 1;      // of the simulated thing that a launch makes
    std::optional<labs::Work> work;      // of one step; none before it ran
    std::optional<trace::Totals> totals; // of its last counted launch
    std::string reduced{};               // of smaller values than are shown, and which: "Size 129"
    std::string uncounted = not_counted_yet; // why there are none
    // Of the last ten seconds that it ran; null: nothing yet.
    std::shared_ptr<const Recent> times_ms;
    std::shared_ptr<const Recent> warp_instructions;
    std::shared_ptr<const Recent> sectors; // global

    bool timed() const { return work && step_ms.count > 0 && step_ms.median > 0; }
    // A count of a launch, as one of a step.
    double per_step(std::uint64_t of_launch) const
    {
        return static_cast<double>(of_launch) / steps;
    }
    std::optional<double> ratio(trace::Ratio which) const
    {
        if (!totals) return {};
        return trace::value(which, *totals, work ? work->items * steps : 0);
    }
    double gb_per_s() const { return timed() ? work->bytes / (step_ms.median * 1e6) : 0; }
    double gflop_per_s() const { return timed() ? work->flops / (step_ms.median * 1e6) : 0; }
};
std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame);

// What can be said of a counted launch in one number: per step where it is a sum, else a ratio.
struct CountedQuantity {
    std::string name;                    // "warp instructions", "sectors/ideal, loads"
    std::string axis;                    // with "a step" where it is a sum
    std::optional<trace::Ratio> ratio{}; // none: a sum over the launch …
    std::uint64_t (*sum)(const trace::Totals&, trace::Scope) = {};
    trace::Scope of_accesses = trace::Scope::all; // … of these accesses
    std::vector<std::string_view> counts{};       // what it is made of, for marks
    std::string map{};                            // the heatmap of the same, if there is one
    bool always = true; // worth a line even where a variant does none of it

    std::optional<double> of(const VariantReading& one) const; // none: not counted, or none of it
    std::string words(double value) const;
};
// In the order of a table. The same for bars, A/B, exports and tests.
const std::vector<CountedQuantity>& counted_quantities();
// What a map of that name shows warp by warp, of those accesses; none without a map.
std::optional<CountedQuantity> quantity_of_map(const std::string& map, trace::Scope of);

// One in words: "–" for nothing, with a mark where the hardware is known to count otherwise, and
// then why.
struct CountText {
    std::string text{};
    std::string note{};
};
CountText count_text(const CountedQuantity& quantity, const std::string& lab,
                     const VariantReading& one);

// Why there is no time on simt, as a sentence for every plot that would need one.
inline constexpr const char* no_time =
    "simt shows no times: it runs on the CPU, whose times say nothing about a GPU.";

// What can be measured of a device.
struct Clock {
    bool there = false;
    Roofs roofs{};
};
// What the bars are about: what the heatmap of that name shows of those accesses, as a sum over the
// launch (on simt, without a heatmap, instructions); recorded times of a size, "l2" or "dram"
// (empty: the one that does not fit a cache).
struct BarsOf {
    std::string map = "off";
    trace::Scope of = trace::Scope::all;
    std::string size{};
};
// The lab's variants as bars: their times with the spread, a count, and how many blocks of the
// shown kernel fit a multiprocessor.
Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, const Clock& clock, const BarsOf& about = {});

// The last ten seconds of every variant: step times with their spread, on simt the counts.
Exhibit history_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                        bool has_clock);

// The variants under this device's measured roofs, or without a clock the recorded ones under those
// of their device: what they compute a second against what they compute a byte. Labs that compute
// nothing get bars against the copy roof.
Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& roofs);

// The kernel's source with its counts, as a page.
Exhibit source_exhibit(const std::string& title, const std::vector<SourceLine>& lines);

// Of plots side by side of the same series the names stand once: beside the last plot that shows
// most of them.
void name_once(std::vector<render::Plot>& plots);

} // namespace lanescope::app
