// Readings of a frame, and what plots of them share.
#include <algorithm>

#include "app/window/plots/plots.h"

namespace lanescope::app {

std::vector<VariantReading> variant_readings(const Document& document, const Frame& frame)
{
    std::vector<VariantReading> all;
    const labs::Lab& lab = document.lab();
    const bool same_lab = frame.a.lab == &lab; // not while another one is being opened
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
