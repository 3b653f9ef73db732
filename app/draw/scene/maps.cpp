// Preconditions, titles, scales and legends of the heatmaps.
#include "app/draw/scene/maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/draw/scene/scene.h"
#include "compute/numbers.h"
#include "compute/trace/ratios.h"
#include "render/views/maps/warp_map.h"

namespace lanescope::app {
namespace {

using render::WarpMetric;

// Explains why a view without cells written by warps has no map.
std::string problem_of_view(const labs::Picture& picture)
{
    if (std::holds_alternative<labs::SurfacePicture>(picture))
        return "No heatmap on a surface. V: next view.";
    if (std::holds_alternative<labs::PointsPicture>(picture))
        return "No heatmap on points. V: next view.";
    if (std::holds_alternative<labs::TilesPicture>(picture))
        return "No heatmap: tiles have counts of their own.";
    return labs::traits(picture).is_chart ? "No heatmap on a chart. M: the memory." : "";
}

bool counts_shared_memory(WarpMetric metric)
{
    return render::memory_of(metric) == render::MapMemory::shared;
}

bool counts_global_memory(WarpMetric metric)
{
    return render::memory_of(metric) == render::MapMemory::global;
}

bool counts_texels(WarpMetric metric)
{
    return render::memory_of(metric) == render::MapMemory::texels;
}

// Why no level is known for this side's sectors, as a sentence; empty if it is.
std::string problem_of_caches(const SideFrame& side, const std::string& title)
{
    const trace::ServedBy* const served = side.served.get();
    if (served == nullptr) return {};
    if (!served->unavailable.empty()) return served->unavailable;
    if (served->sum().read() == 0) return title + ": this variant reads no global memory.";
    if (served->warps.empty()) return title + ": not known per warp for this step.";
    return {};
}

// Counts of the memory space that the map covers.
trace::Counts counts_of(WarpMetric metric, const trace::Totals& totals, trace::Scope of)
{
    if (counts_texels(metric)) return trace::texels(totals, of);
    return counts_shared_memory(metric) ? trace::shared(totals, of) : trace::global(totals, of);
}

} // namespace

std::string map_title(const std::string& name, trace::Scope of)
{
    const auto metric = render::warp_metric(name);
    if (!metric) return "no heatmap";
    const std::string title = fixed_scale(*metric).title();
    if (of == trace::Scope::all || !map_has_scope(name)) return title;
    return fmt::format("{}, {}", title, trace::name(of));
}

std::string map_problem(const SideFrame& side, const std::string& map, const trace::Totals* totals,
                        trace::Scope of)
{
    const auto metric = render::warp_metric(map);
    if (!metric || !side.picture) return {};
    if (std::string problem = problem_of_view(side.picture->shape); !problem.empty())
        return problem;
    const bool counted = side.counted.map && side.counting_problem.empty();
    if (counted && !side.warp_map)
        return "No heatmap: warps do not store this picture. M: the memory.";
    if (!totals) return {};
    if (counts_shared_memory(*metric) && trace::shared(*totals).requests == 0)
        return map_title(map) + ": this variant uses no shared memory.";
    if (counts_global_memory(*metric) && trace::global(*totals).requests == 0)
        return map_title(map) +
               ": this variant accesses global memory only through textures and surfaces.";
    if (counts_texels(*metric) && trace::texels(*totals).requests == 0)
        return map_title(map) + ": this variant reads and writes no texels.";
    if (*metric == WarpMetric::texel_sectors && trace::texels(*totals).modelled_sectors == 0)
        return map_title(map) + ": only simt models them.";
    if (render::is_served(*metric)) return problem_of_caches(side, map_title(map));
    if (map_has_scope(map) && counts_of(*metric, *totals, of).requests == 0)
        return map_title(map, of) + ": this variant has none.";
    return {};
}

std::string map_after(const SideFrame& side, const trace::Totals* totals, const std::string& map,
                      int by, trace::Scope of)
{
    auto names = map_names();
    const auto drawn = [&](const std::string& name) {
        return map_problem(side, name, totals, of).empty();
    };
    // If none can be drawn, the next one says why.
    if (std::any_of(names.begin() + 1, names.end(), drawn))
        std::erase_if(names, [&](const std::string& name) { return name != map && !drawn(name); });
    const auto now = std::max<std::ptrdiff_t>(std::ranges::find(names, map) - names.begin(), 0);
    const auto count = std::ssize(names);
    return names[static_cast<std::size_t>((now + by + count) % count)];
}

trace::Scope scope_after(const trace::Totals* totals, const std::string& map, trace::Scope of)
{
    const auto metric = render::warp_metric(map);
    if (!metric || !map_has_scope(map)) return of;
    constexpr std::size_t count = trace::all_scopes.size();
    for (std::size_t by = 1; by < count; ++by) {
        const trace::Scope next = trace::all_scopes[(static_cast<std::size_t>(of) + by) % count];
        if (next == trace::Scope::all || !totals || counts_of(*metric, *totals, next).requests > 0)
            return next;
    }
    return of;
}

namespace {

// "sectors read: 62% from L1, 13% from L2, 25% from DRAM"; empty if none were read.
std::string served_parts(const trace::ServedBy& served)
{
    const trace::Served sum = served.sum();
    if (sum.read() == 0) return {};
    const auto percent = [&](std::uint64_t part) {
        return 100.0 * static_cast<double>(part) / static_cast<double>(sum.read());
    };
    return fmt::format("sectors read: {:.0f}% from L1, {:.0f}% from L2, {:.0f}% from DRAM",
                       percent(sum.l1), percent(sum.l2), percent(sum.dram));
}

} // namespace

std::string map_parts(const SideFrame& side, const trace::Totals& totals, const std::string& map)
{
    const auto metric = render::warp_metric(map);
    if (metric && render::is_served(*metric)) return side.served ? served_parts(*side.served) : "";
    if (!metric || !map_has_scope(map)) return {};
    const bool shared = counts_shared_memory(*metric);
    const auto sum = render::sum_of(*metric);
    std::vector<std::string> parts;
    for (const trace::Scope scope : trace::all_scopes) {
        if (scope == trace::Scope::all) continue;
        const std::string_view name = trace::name(scope);
        const trace::Counts counts = counts_of(*metric, totals, scope);
        if (counts.requests == 0) continue;
        const auto ratio =
            shared ? trace::wavefronts_over_ideal(counts) : trace::sectors_over_ideal(counts);
        if (sum != nullptr)
            parts.push_back(fmt::format("{} {}", name, grouped(counts.*sum)));
        else if (ratio)
            parts.push_back(fmt::format("{} {:.2f}×", name, *ratio));
    }
    if (parts.size() < 2) return {};
    return fmt::format("{}", fmt::join(parts, ", "));
}

const render::Theme& view_theme(Theme theme)
{
    return theme == Theme::dark ? render::dark_theme : render::light_theme;
}

namespace {

// The title names the counted launch's caches, which may still be those of the map before.
std::optional<MapOverlay> served_overlay(const SideFrame& side, WarpMetric metric, float blend)
{
    const trace::ServedBy* const served = side.served.get();
    if (served == nullptr || served->warps.empty()) return {};
    MapOverlay overlay{*side.warp_map, metric, fixed_scale(metric), blend};
    overlay.scale.quantity = fmt::format("{} caches, {}: sectors read from", served->gpu,
                                         served->warm ? "warm" : "cold");
    return overlay;
}

} // namespace

std::optional<MapOverlay> map_overlay(const SideFrame& side, const Look& look,
                                      const SideFrame* other_side)
{
    const auto metric = render::warp_metric(look.map);
    if (!metric || !side.warp_map) return {};
    if (render::is_served(*metric)) return served_overlay(side, *metric, look.map_blend);
    const bool sums = is_total(*metric);
    std::optional<render::ValueRange> range;
    if (look.map_automatic || sums) {
        range = range_of(*metric, side.trace->warps);
        const auto other = other_side ? range_of(*metric, other_side->trace->warps) : std::nullopt;
        if (range && other)
            range = {std::min(range->min, other->min), std::max(range->max, other->max)};
    }
    MapOverlay overlay{*side.warp_map, *metric,
                       range ? automatic_scale(*metric, *range) : fixed_scale(*metric),
                       look.map_blend};
    overlay.scale.quantity = map_title(look.map, side.counted.map_of); // names the counted scope
    return overlay;
}

} // namespace lanescope::app
