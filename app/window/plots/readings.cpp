// Readings of a frame, and helpers shared by their plots.
#include <algorithm>

#include "app/window/plots/plots.h"

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

} // namespace

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
