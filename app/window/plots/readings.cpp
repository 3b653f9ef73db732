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

void add_counted_in_background(const CountedInBackground& beside, VariantReading& one)
{
    if (!beside.totals) {
        one.uncounted = "not counted: " + beside.problem;
        return;
    }
    one.totals = beside.totals;
    one.work = beside.work;
    one.reduced = beside.reduced;
}

} // namespace

std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame)
{
    std::vector<VariantReading> all;
    const labs::Lab& lab = document.lab();
    const bool same_lab = frame.a.lab == &lab; // false while another lab is being opened
    for (const labs::Variant& variant : lab.variants) {
        VariantReading one;
        one.id = variant.id;
        one.title = variant.title;
        one.steps = variant.steps;
        one.place = static_cast<int>(all.size());
        one.shown = variant.id == document.variant;
        if (same_lab) {
            const VariantFrame& known = frame.of(variant.id);
            one.step_ms = frame.step_ms(variant.id);
            one.work = known.work;
            one.totals = known.totals;
            one.times_ms = known.step_ms;
            one.warp_instructions = known.warp_instructions;
            one.sectors = known.sectors;
        }
        one.uncounted = why_uncounted(variant);
        if (same_lab && !one.totals && frame.counted_in_background)
            if (const auto beside = frame.counted_in_background->find(variant.id);
                beside != frame.counted_in_background->end())
                add_counted_in_background(beside->second, one);
        all.push_back(std::move(one));
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
