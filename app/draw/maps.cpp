// See maps.h.
#include "app/draw/maps.h"

namespace lanescope::app {

std::vector<std::string> map_names()
{
    std::vector<std::string> names{"off"};
    for (const render::WarpMetric metric : render::all_warp_metrics)
        names.emplace_back(render::name(metric));
    return names;
}

std::string map_title(const std::string& name)
{
    const auto metric = render::warp_metric(name);
    return metric ? fixed_scale(*metric).title() : "no heatmap";
}

std::optional<MapOverlay> map_overlay(const SideFrame& side, const Look& look)
{
    const auto metric = render::warp_metric(look.map);
    if (!metric || !side.warp_map) return {};
    const auto& warps = side.trace->warps;
    const bool wanted = look.map_automatic || *metric == render::WarpMetric::instructions;
    const bool automatic = wanted && !warps.empty();
    return MapOverlay{*side.warp_map, *metric,
                      automatic ? automatic_scale(*metric, warps) : fixed_scale(*metric),
                      look.map_blend};
}

} // namespace lanescope::app
