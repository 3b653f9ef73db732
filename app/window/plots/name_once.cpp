// See name_once.h.
#include "app/window/plots/name_once.h"

#include <algorithm>

namespace lanescope::app {

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
