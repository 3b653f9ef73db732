// Readings of a frame, and helpers shared by their plots.
#include <fmt/format.h>

#include <algorithm>

#include "app/measure/measurements.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {

namespace {

// Explains why a variant has no counts.
std::string why_uncounted(const labs::Variant& variant)
{
    if (!variant.fault.empty()) return "faults by design";
    if (!variant.runs_on(device::Engine::simt)) return "runs only on a GPU";
    return not_counted_yet;
}

void add_background_counts(const CountedInBackground& background, VariantReading& reading)
{
    if (!background.totals) {
        reading.uncounted = "not counted: " + background.problem;
        return;
    }
    reading.totals = background.totals;
    reading.work = background.work;
    reading.reduced = background.reduced;
}

// The time recorded for the document's values; null if there is none.
const Measured* recorded_here(const Document& document, const Measurements& recorded,
                              const std::string& variant)
{
    const auto found = std::ranges::find_if(recorded.times, [&](const Measured& one) {
        return one.lab == document.lab().id && one.variant == variant && !one.is_peer &&
               one.values == document.values;
    });
    return found == recorded.times.end() ? nullptr : &*found;
}

} // namespace

std::optional<PredictedStep> shown_prediction(const Document& document, const Frame& frame,
                                              const std::string& variant)
{
    const Presentation& talk = document.presentation;
    if (talk.asks() || talk.withholds_time(document.lab().id, variant)) return {};
    return predicted_step(frame, variant);
}

std::string prediction_words(const Document& document, const Frame& frame,
                             const std::string& variant)
{
    const auto made = shown_prediction(document, frame, variant);
    if (!made) return "";
    const auto shown = shown_measurements(frame.engine.has_clock);
    if (shown && shown->shown_of_variant(document.lab().id, document.values, variant) != nullptr) {
        const Measured* const here = recorded_here(document, *shown, variant);
        if (here == nullptr || !made->contradicts(here->median_ms)) return "";
    }
    return fmt::format("{} predicted for {}, limited by {}", format_time(made->ms), made->gpu,
                       made->limit);
}

std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame)
{
    std::vector<VariantReading> all;
    const labs::Lab& lab = document.lab();
    const bool same_lab = frame.a.lab == &lab; // false while another lab is being opened
    for (const labs::Variant& variant : lab.variants) {
        VariantReading reading;
        reading.id = variant.id;
        reading.title = variant.title;
        reading.steps = variant.steps;
        reading.place = static_cast<int>(all.size());
        reading.shown = variant.id == document.variant;
        if (same_lab) {
            const VariantFrame& known = frame.of(variant.id);
            reading.step_ms = frame.step_ms(variant.id);
            reading.work = known.work;
            reading.totals = known.totals;
            reading.times_ms = known.step_ms;
            reading.warp_instructions = known.warp_instructions;
            reading.sectors = known.sectors;
            reading.predicted = shown_prediction(document, frame, variant.id);
        }
        reading.uncounted = why_uncounted(variant);
        if (same_lab && !reading.totals && frame.counted_in_background)
            if (const auto background = frame.counted_in_background->find(variant.id);
                background != frame.counted_in_background->end())
                add_background_counts(background->second, reading);
        all.push_back(std::move(reading));
    }
    return all;
}

void name_once(std::vector<render::Plot>& plots)
{
    const auto shown = [](const render::Plot& plot) {
        return std::ranges::count_if(plot.series, [](const auto& s) { return !s.points.empty(); });
    };
    std::size_t named = 0;
    for (std::size_t i = 0; i < plots.size(); ++i)
        if (shown(plots[i]) >= shown(plots[named])) named = i;
    for (std::size_t i = 0; i < plots.size(); ++i)
        for (render::PlotSeries& series : plots[i].series)
            if (i != named) series.name.clear();
}

} // namespace lanescope::app
