// The map's program: values blended over the picture, borders when zoomed in.
#include "render/views/warp_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace lanescope::render {
namespace {

using trace::WarpCounts;

constexpr std::array<std::string_view, all_warp_metrics.size()> names{
    "active_lanes", "sector_excess", "bank_conflicts", "instructions"};

constexpr int index_of(std::size_t offset)
{
    return static_cast<int>(offset / sizeof(std::uint32_t));
}

// A metric as one count over another, by their places in WarpCounts; -1 for the plain count.
struct Ratio {
    int numerator;
    int denominator;
};

Ratio ratio_of(WarpMetric metric)
{
    constexpr int instructions = index_of(offsetof(WarpCounts, warp_instructions));
    switch (metric) {
    case WarpMetric::active_lanes:
        return {index_of(offsetof(WarpCounts, thread_instructions)), instructions};
    case WarpMetric::sector_excess:
        return {index_of(offsetof(WarpCounts, global_sectors)),
                index_of(offsetof(WarpCounts, global_ideal_sectors))};
    case WarpMetric::bank_conflicts:
        return {index_of(offsetof(WarpCounts, shared_wavefronts)),
                index_of(offsetof(WarpCounts, shared_ideal_wavefronts))};
    case WarpMetric::instructions: break;
    }
    return {instructions, -1};
}

std::uint32_t count_at(const WarpCounts& warp, int index)
{
    std::uint32_t count = 0;
    std::memcpy(&count,
                reinterpret_cast<const std::byte*>(&warp) + 4 * static_cast<std::size_t>(index),
                sizeof count);
    return count;
}

std::string quantity(WarpMetric metric)
{
    switch (metric) {
    case WarpMetric::active_lanes: return "active lanes per instruction";
    case WarpMetric::sector_excess: return "sectors / ideal";
    case WarpMetric::bank_conflicts: return "shared wavefronts / ideal";
    case WarpMetric::instructions: return "instructions per warp";
    }
    return {};
}

} // namespace

std::string_view name(WarpMetric metric)
{
    return names[static_cast<std::size_t>(metric)];
}

std::optional<WarpMetric> warp_metric(std::string_view wanted)
{
    for (const WarpMetric metric : all_warp_metrics)
        if (name(metric) == wanted) return metric;
    return std::nullopt;
}

std::optional<float> value(WarpMetric metric, const WarpCounts& warp)
{
    const Ratio ratio = ratio_of(metric);
    const auto above = static_cast<float>(count_at(warp, ratio.numerator));
    if (ratio.denominator < 0) return above;
    const auto below = static_cast<float>(count_at(warp, ratio.denominator));
    if (below == 0) return std::nullopt;
    return above / below;
}

Scale fixed_scale(WarpMetric metric)
{
    // Few active lanes, many sectors and many wavefronts are what costs: they get the end of the
    // map that stands out. What is ideal is blue, not black, so that the picture stays.
    Scale scale{1, 8, ColourMap::plasma, false, quantity(metric), ""};
    if (metric == WarpMetric::active_lanes)
        scale = {0, 32, ColourMap::viridis, false, scale.quantity, ""};
    if (metric == WarpMetric::instructions) {
        scale.low = 0;
        scale.high = 1000;
        scale.map = ColourMap::cividis;
    }
    return scale;
}

Scale automatic_scale(WarpMetric metric, std::span<const WarpCounts> warps)
{
    Scale scale = fixed_scale(metric);
    scale.automatic = true;
    float low = std::numeric_limits<float>::max(), high = 0;
    for (const WarpCounts& warp : warps) {
        if (const auto seen = value(metric, warp)) {
            low = std::min(low, *seen);
            high = std::max(high, *seen);
        }
    }
    if (low > high) return scale;
    scale.low = low;
    scale.high = high > low ? high : low + 1;
    return scale;
}

std::optional<PointedWarp> warp_at(const WarpMapData& data, glm::dvec2 picture)
{
    const bool inside = picture.x >= 0 && picture.x < 1 && picture.y >= 0 && picture.y < 1;
    if (!inside || data.warp_count < 1) return std::nullopt;
    const auto column = static_cast<GLintptr>(picture.x * data.width);
    const auto row = static_cast<GLintptr>(picture.y * data.height);
    std::uint32_t owner = 0;
    glGetNamedBufferSubData(data.owners, (row * data.width + column) * sizeof owner, sizeof owner,
                            &owner);
    if (owner == 0 || owner > static_cast<std::uint32_t>(data.warp_count)) return std::nullopt;
    PointedWarp warp{.index = owner - 1, .counts = {}};
    glGetNamedBufferSubData(data.warps, GLintptr{warp.index} * data.warp_words * 4,
                            sizeof warp.counts, &warp.counts);
    return warp;
}

WarpMapView::WarpMapView()
    : programs_("shaders/warp_map.frag"),
      with_borders_("shaders/rect.vert", "shaders/warp_map.frag", "BORDERS"), owners_(GL_R32UI),
      counts_(GL_R32UI)
{
}

void WarpMapView::draw(const WarpMapData& data, WarpMetric metric, const Scale& scale,
                       const Placement& placement, float blend, Colour border)
{
    if (data.warp_count < 1) return;
    const double px_per_element =
        std::min(placement.size.x / data.width, placement.size.y / data.height);
    const bool borders = px_per_element >= 3;
    gl::Program& program =
        borders ? with_borders_.get() : programs_.choose(data.width, data.height, placement);
    owners_.attach(data.owners);
    owners_.bind(0);
    counts_.attach(data.warps);
    counts_.bind(1);
    maps_.set(program, scale, 2);
    program.set("owners", 0);
    program.set("counts", 1);
    program.set("stride", data.warp_words);
    program.set("warps", data.warp_count);
    const Ratio ratio = ratio_of(metric);
    program.set("numerator", ratio.numerator);
    program.set("denominator", ratio.denominator);
    program.set("blend", blend);
    if (borders) {
        const glm::vec2 cells_per_px(static_cast<float>(data.width / placement.size.x),
                                     static_cast<float>(data.height / placement.size.y));
        program.set("warps_per_block", std::max(data.warps_per_block, 1));
        program.set("block_border", cells_per_px * (px_per_element >= 12 ? 2.0f : 1.0f));
        program.set("warp_border", px_per_element >= 6 ? cells_per_px : glm::vec2(0));
        program.set("border_colour",
                    glm::vec4(border.red, border.green, border.blue, border.alpha) / 255.0f);
    }
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    draw_cells(program, array_, data.width, data.height, placement);
    glDisable(GL_BLEND);
}

} // namespace lanescope::render
