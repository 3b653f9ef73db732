// The map's program: values blended over the picture, borders when zoomed in.
#include "render/views/maps/warp_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lanescope::render {
namespace {

using trace::WarpCounts;

constexpr std::array<std::string_view, all_warp_metrics.size()> metric_names{
    "active_lanes", "sectors",        "sector_excess", "wavefronts",  "bank_conflicts",
    "instructions", "texel_requests", "texel_sectors", "served_cold", "served_warm"};

constexpr int index_of(std::size_t offset)
{
    return static_cast<int>(offset / sizeof(std::uint64_t));
}

// A metric as numerator and denominator, by index in WarpCounts; -1 for a plain count.
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
    case WarpMetric::sectors: return {index_of(offsetof(WarpCounts, global_sectors)), -1};
    case WarpMetric::sector_excess:
        return {index_of(offsetof(WarpCounts, global_sectors)),
                index_of(offsetof(WarpCounts, global_ideal_sectors))};
    case WarpMetric::wavefronts: return {index_of(offsetof(WarpCounts, shared_wavefronts)), -1};
    case WarpMetric::bank_conflicts:
        return {index_of(offsetof(WarpCounts, shared_wavefronts)),
                index_of(offsetof(WarpCounts, shared_ideal_wavefronts))};
    case WarpMetric::texel_requests: return {index_of(offsetof(WarpCounts, texel_requests)), -1};
    case WarpMetric::texel_sectors: return {index_of(offsetof(WarpCounts, texel_sectors)), -1};
    case WarpMetric::instructions:
    case WarpMetric::served_cold:
    case WarpMetric::served_warm: break;
    }
    return {instructions, -1};
}

std::uint64_t count_at(const WarpCounts& warp, int index)
{
    std::uint64_t count = 0;
    std::memcpy(&count,
                reinterpret_cast<const std::byte*>(&warp) +
                    sizeof count * static_cast<std::size_t>(index),
                sizeof count);
    return count;
}

std::string quantity(WarpMetric metric)
{
    switch (metric) {
    case WarpMetric::active_lanes: return "active lanes per instruction";
    case WarpMetric::sectors: return "sectors per warp";
    case WarpMetric::sector_excess: return "sectors / ideal";
    case WarpMetric::wavefronts: return "shared wavefronts per warp";
    case WarpMetric::bank_conflicts: return "shared wavefronts / ideal";
    case WarpMetric::instructions: return "instructions per warp";
    case WarpMetric::texel_requests: return "texture and surface requests per warp";
    case WarpMetric::texel_sectors: return "sectors of texels per warp (model)";
    case WarpMetric::served_cold: return "served by, cold caches";
    case WarpMetric::served_warm: return "served by, warm caches";
    }
    return {};
}

// Rounds up to 1, 2 or 5 times a power of ten.
float round_top(float value)
{
    const double power = std::pow(10.0, std::floor(std::log10(std::max(value, 1.0F))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= static_cast<double>(value)) return static_cast<float>(factor * power);
    return static_cast<float>(10 * power);
}

} // namespace

std::string_view name(WarpMetric metric)
{
    return metric_names[static_cast<std::size_t>(metric)];
}

std::optional<WarpMetric> warp_metric(std::string_view wanted)
{
    for (const WarpMetric metric : all_warp_metrics)
        if (name(metric) == wanted) return metric;
    return std::nullopt;
}

std::optional<float> value(WarpMetric metric, const WarpCounts& warp)
{
    if (is_served(metric)) return std::nullopt;
    const Ratio ratio = ratio_of(metric);
    const auto above = static_cast<float>(count_at(warp, ratio.numerator));
    if (ratio.denominator < 0) return above;
    const auto below = static_cast<float>(count_at(warp, ratio.denominator));
    if (below == 0) return std::nullopt;
    return above / below;
}

bool is_ratio(WarpMetric metric)
{
    return metric == WarpMetric::sector_excess || metric == WarpMetric::bank_conflicts;
}

Scale fixed_scale(WarpMetric metric)
{
    Scale scale{.low = 0, .high = 1000, .map = ColourMap::cividis, .quantity = quantity(metric)};
    scale.open_ended = true;
    if (is_served(metric)) {
        scale.high = 2; // three levels, 1 apart
        scale.map = ColourMap::levels;
        scale.classes = {"L1", "L2", "DRAM"};
        scale.note = "A warp's colour mixes those of its sectors. A model.";
        scale.open_ended = false;
    } else if (metric == WarpMetric::active_lanes) {
        scale.high = 32;
        scale.map = ColourMap::shortfall;
        scale.best = "ideal";
        scale.best_value = scale.high;
        scale.marked = {0, 8, 16, 24, 32};
        scale.open_ended = false;
    } else if (is_ratio(metric)) {
        // The ideal is a calm green, as for active lanes; higher costs are orange and yellow.
        scale.low = 1;
        scale.high = 8;
        scale.map = ColourMap::excess;
        scale.marked = {1, 2, 4, 6, 8};
        scale.best = "ideal";
        scale.best_value = scale.low;
    }
    return scale;
}

std::optional<ValueRange> range_of(WarpMetric metric, std::span<const WarpCounts> warps)
{
    std::optional<ValueRange> range;
    for (const WarpCounts& warp : warps)
        if (const auto seen = value(metric, warp)) {
            if (!range) range = {*seen, *seen};
            range->min = std::min(range->min, *seen);
            range->max = std::max(range->max, *seen);
        }
    return range;
}

Scale automatic_scale(WarpMetric metric, const ValueRange& range)
{
    Scale scale = fixed_scale(metric);
    scale.automatic = true;
    scale.open_ended = false;
    scale.marked.clear();
    if (metric == WarpMetric::active_lanes)
        scale.low = std::min(range.min, scale.high - 1);
    else if (is_ratio(metric))
        scale.high = std::max(range.max, 1.1F);
    else
        scale.high = round_top(range.max);
    if (metric == WarpMetric::active_lanes || is_ratio(metric)) {
        // The best value always has a tick; round values are added where they do not crowd it.
        const double best = scale.best_value;
        const double near = 0.09 * (scale.high - scale.low);
        scale.marked = {best};
        for (const Tick& tick : ticks(scale.low, scale.high, 5))
            if (std::abs(tick.value - best) > near) scale.marked.push_back(tick.value);
    }
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
    constexpr GLintptr record = sizeof warp.counts;
    glGetNamedBufferSubData(data.warps, warp.index * record, record, &warp.counts);
    if (data.served != 0) {
        constexpr GLintptr served = sizeof(trace::Served);
        glGetNamedBufferSubData(data.served, warp.index * served, served, &warp.served.emplace());
    }
    return warp;
}

WarpMapView::WarpMapView()
    : programs_("shaders/warp_map.frag"),
      with_borders_("shaders/rect.vert", "shaders/warp_map.frag", "BORDERS"),
      level_programs_("shaders/warp_map.frag", "LEVELS"),
      levels_with_borders_("shaders/rect.vert", "shaders/warp_map.frag", "LEVELS", "BORDERS"),
      owners_(GL_R32UI), counts_(GL_RG32UI)
{
}

void WarpMapView::set_counts(gl::Program& program, const WarpMapData& data, WarpMetric metric)
{
    static_assert(offsetof(trace::Served, l1) == 0 && offsetof(trace::Served, l2) == 8 &&
                  offsetof(trace::Served, dram) == 16); // shaders/warp_map.frag
    const bool levels = is_served(metric);
    counts_.attach(levels ? data.served : data.warps);
    counts_.bind(1);
    program.set("counts", 1);
    const std::size_t record = levels ? sizeof(trace::Served) : sizeof(WarpCounts);
    program.set("stride", static_cast<int>(record / sizeof(std::uint64_t)));
    program.set("warps", data.warp_count);
    if (levels) return;
    const Ratio ratio = ratio_of(metric);
    program.set("numerator", ratio.numerator);
    program.set("denominator", ratio.denominator);
}

void WarpMapView::draw(const WarpMapData& data, WarpMetric metric, const Placement& placement,
                       const MapStyle& style, float blend)
{
    const auto& [scale, border, hatching] = style;
    const bool levels = is_served(metric);
    if (data.warp_count < 1 || (levels && data.served == 0)) return;
    const double px_per_element =
        std::min(placement.size.x / data.width, placement.size.y / data.height);
    const int warps_per_block = std::max(data.warps_per_block, 1);
    const double elements_per_block =
        static_cast<double>(data.width) * data.height * warps_per_block / data.warp_count;
    const bool borders =
        px_per_element >= 3 && px_per_element * std::sqrt(elements_per_block) >= 30;
    CellPrograms& without = levels ? level_programs_ : programs_;
    gl::LazyProgram& chosen = borders ? (levels ? levels_with_borders_ : with_borders_)
                                      : without.choose(data.width, data.height, placement);
    gl::Program& program = chosen.get();
    owners_.attach(data.owners);
    owners_.bind(0);
    set_counts(program, data, metric);
    maps_.set(program, scale, 2);
    set(program, scale, hatching);
    program.set("owners", 0);
    program.set("blend", blend);
    if (borders) {
        const glm::vec2 cells_per_px(static_cast<float>(data.width / placement.size.x),
                                     static_cast<float>(data.height / placement.size.y));
        program.set("warps_per_block", warps_per_block);
        program.set("block_border", cells_per_px * (px_per_element >= 12 ? 2.0f : 1.0f));
        program.set("warp_border", px_per_element >= 12 ? cells_per_px : glm::vec2(0));
        program.set("border_colour",
                    glm::vec4(border.red, border.green, border.blue, border.alpha) / 255.0f);
    }
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    cells_.draw(chosen, data.width, data.height, placement);
    glDisable(GL_BLEND);
}

} // namespace lanescope::render
