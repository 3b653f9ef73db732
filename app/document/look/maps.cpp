// The list of heatmaps: one per warp metric, and "off".
#include "app/document/look/maps.h"

#include <algorithm>

#include "render/views/maps/warp_metric.h"

namespace lanescope::app {

using render::WarpMetric;

std::vector<std::string> map_names()
{
    std::vector<std::string> names{"off"};
    for (const WarpMetric metric : render::all_warp_metrics)
        names.emplace_back(render::name(metric));
    return names;
}

bool map_has_scope(const std::string& map)
{
    const auto metric = render::warp_metric(map);
    return metric && render::memory_of(*metric) != render::MapMemory::none &&
           !render::is_served(*metric);
}

std::optional<caches::Before> caches_of_map(const std::string& map)
{
    const auto metric = render::warp_metric(map);
    if (!metric || !render::is_served(*metric)) return {};
    return *metric == WarpMetric::served_warm ? caches::Before::warm : caches::Before::cold;
}

bool map_is_of_shared_memory(const std::string& map)
{
    const auto metric = render::warp_metric(map);
    return metric && render::memory_of(*metric) == render::MapMemory::shared;
}

bool map_is_of_texels(const std::string& map)
{
    const auto metric = render::warp_metric(map);
    return metric && render::memory_of(*metric) == render::MapMemory::texels;
}

std::vector<std::string> scope_names()
{
    std::vector<std::string> names;
    for (const trace::Scope scope : trace::all_scopes) names.emplace_back(trace::name(scope));
    return names;
}

trace::Scope scope_named(const std::string& name)
{
    const auto found = std::ranges::find(trace::all_scopes, name,
                                         [](trace::Scope scope) { return trace::name(scope); });
    return found == trace::all_scopes.end() ? trace::Scope::all : *found;
}

} // namespace lanescope::app
