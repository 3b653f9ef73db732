// Contents of the strip below the picture, as plain data that the window, exports and commands draw
// with the same code: bars, history, roofline and source of the running lab.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/draw/predicted_step.h"
#include "app/export/exhibit.h"
#include "app/run/frame/frame.h"
#include "app/window/plots/source_heat.h"
#include "compute/trace/ratios.h"

namespace lanescope::app {

inline constexpr const char* not_counted_yet = "not counted yet";

// Everything known about one variant so far.
struct VariantReading {
    std::string id;
    std::string title;
    int place = 0;                       // index in the lab: its colour and shape in every plot
    bool shown = false;                  // running now
    Spread step_ms;                      // over the last ten seconds it ran; empty without a clock
    int steps = 1;                       // simulation steps per launch
    std::optional<labs::Work> work;      // per step; empty before it ran
    std::optional<trace::Totals> totals; // for its last counted launch
    std::string reduced{};               // values of a smaller size that was counted instead: "Size
                                         // 129"
    std::optional<PredictedStep> predicted;  // at the current values, where it was counted
    std::string uncounted = not_counted_yet; // why there are no totals
    // Samples of the last ten seconds it ran; null if none.
    std::shared_ptr<const Recent> times_ms;
    std::shared_ptr<const Recent> warp_instructions;
    std::shared_ptr<const Recent> sectors; // in global memory

    bool timed() const { return work && step_ms.count > 0 && step_ms.median > 0; }
    // Converts a count per launch to one per step.
    double per_step(std::uint64_t per_launch) const
    {
        return static_cast<double>(per_launch) / steps;
    }
    std::optional<double> ratio(trace::Ratio which) const
    {
        if (!totals) return {};
        return trace::value(which, *totals, work ? work->items * steps : 0);
    }
    double gb_per_s() const { return timed() ? work->bytes / (step_ms.median * 1e6) : 0; }
    double gflop_per_s() const { return timed() ? work->flops / (step_ms.median * 1e6) : 0; }
};
// The predicted time of a variant's step, unless a talk asks for it.
std::optional<PredictedStep> shown_prediction(const Document& document, const Frame& frame,
                                              const std::string& variant);
// "3.1 µs predicted for H100, limited by DRAM"; empty if nothing was predicted. After a time
// recorded for the document's values, only a prediction that contradicts it.
std::string prediction_words(const Document& document, const Frame& frame,
                             const std::string& variant);
std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame);

// One number about a counted launch: a sum per step, or a ratio.
struct CountedQuantity {
    std::string name;                    // "warp instructions", "sectors/ideal, loads"
    std::string axis;                    // with "per step" for sums
    std::optional<trace::Ratio> ratio{}; // empty: a sum over the launch …
    std::uint64_t (*sum)(const trace::Totals&, trace::Scope) = {};
    trace::Scope scope = trace::Scope::all; // … of the accesses in this scope
    std::vector<std::string_view> counts{}; // counts it is computed from, for hardware marks
    std::string map{};                      // heatmap of the same quantity, if any
    bool always = true;                     // listed even if a variant has none of it

    std::optional<double> of(const VariantReading& one) const; // empty if not counted or none
    std::string words(double value) const;
};
// All quantities in table order, shared by bars, A/B, exports and tests.
const std::vector<CountedQuantity>& counted_quantities();
// The quantity that the heatmap of this name shows per warp, for these accesses; empty if there is
// no such map.
std::optional<CountedQuantity> quantity_of_map(const std::string& map, trace::Scope of);

// A quantity as text: "–" if unknown, with a mark where hardware is known to count differently, and
// a note explaining why.
struct CountText {
    std::string text{};
    std::string note{};
};
CountText count_text(const CountedQuantity& quantity, const std::string& lab,
                     const VariantReading& one);

// Why simt has no times, as a sentence for every plot that would need one.
inline constexpr const char* no_time =
    "simt shows no times: it runs on the CPU, whose times say nothing about a GPU.";

// Quantities that can be measured on a device.
struct Clock {
    bool available = false;
    Roofs roofs{};
};
// Selects the quantity that the bars show, and the problem size whose recorded times are used ("l2"
// or "dram"; empty: the one nearest to `values`, the parameters on screen). The bars show the named
// heatmap's metric for these accesses, summed over the launch. Without a heatmap, on simt, they
// show instruction counts.
struct BarsOf {
    std::string map = "off";
    trace::Scope of = trace::Scope::all;
    std::string size{};
    std::set<std::string> withheld{}; // variants whose recorded times a talk still asks for
    std::map<std::string, std::string> values{};
};
// The lab's variants as bars: times with their spread, a count, and how many blocks of the current
// kernel fit on a multiprocessor.
Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, const Clock& clock, const BarsOf& about = {});

// The last ten seconds of every variant: step times with their spread, or counts on simt.
Exhibit history_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                        bool has_clock);

// The variants under this device's measured roofs or, without a clock, recorded variants under the
// roofs of their device: operations per second over operations per byte. Labs without
// floating-point work get bars against the copy roof.
Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& roofs,
                         const std::map<std::string, std::string>& values = {});

// The kernel's source with its counts, as a page.
Exhibit source_exhibit(const std::string& title, const std::vector<SourceLine>& lines);

// Keeps the names of series in only one of several plots side by side: the last of those that show
// the most series.
void name_once(std::vector<render::Plot>& plots);

} // namespace lanescope::app
