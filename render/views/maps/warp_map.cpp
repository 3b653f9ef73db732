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

using trace::Counts;
using trace::WarpCounts;

constexpr int index_of(std::size_t offset)
{
    return static_cast<int>(offset / sizeof(std::uint64_t));
}

// A metric as numerator and denominator, by index in WarpCounts; -1 for a plain count.
struct Ratio {
    int numerator;
    int denominator;
};

enum class Kind : std::uint8_t { lanes, total, excess, levels };

// A row of warp_metrics.def.
struct MetricRow {
    std::string_view name;
    MapMemory memory;
    Ratio counts;
    Kind kind;
    const char* title;
    std::uint64_t Counts::*sum;
};

#define LEVELS                                                                                     \
    Ratio                                                                                          \
    {                                                                                              \
        -1, -1                                                                                     \
    }
#define ALONE(count)                                                                               \
    Ratio                                                                                          \
    {                                                                                              \
        index_of(offsetof(WarpCounts, count)), -1                                                  \
    }
#define PER(count, other)                                                                          \
    Ratio                                                                                          \
    {                                                                                              \
        index_of(offsetof(WarpCounts, count)), index_of(offsetof(WarpCounts, other))               \
    }
constexpr std::array metric_rows{
#define WARP_METRIC(name, memory, counts, kind, title, sum)                                        \
    MetricRow{#name, MapMemory::memory, counts, Kind::kind, title, sum},
#include "render/views/maps/warp_metrics.def"
};
#undef PER
#undef ALONE
#undef LEVELS

const MetricRow& row_of(WarpMetric metric)
{
    return metric_rows[static_cast<std::size_t>(metric)];
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
    return row_of(metric).name;
}

MapMemory memory_of(WarpMetric metric)
{
    return row_of(metric).memory;
}

std::uint64_t trace::Counts::*sum_of(WarpMetric metric)
{
    return row_of(metric).sum;
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
    const Ratio ratio = row_of(metric).counts;
    const auto above = static_cast<float>(count_at(warp, ratio.numerator));
    if (ratio.denominator < 0) return above;
    const auto below = static_cast<float>(count_at(warp, ratio.denominator));
    if (below == 0) return std::nullopt;
    return above / below;
}

bool is_ratio(WarpMetric metric)
{
    return row_of(metric).kind == Kind::excess;
}

bool is_total(WarpMetric metric)
{
    return row_of(metric).kind == Kind::total;
}

bool is_served(WarpMetric metric)
{
    return row_of(metric).kind == Kind::levels;
}

Scale fixed_scale(WarpMetric metric)
{
    Scale scale{
        .low = 0, .high = 1000, .map = ColourMap::cividis, .quantity = row_of(metric).title};
    scale.open_ended = true;
    if (is_served(metric)) {
        scale.high = 2; // three levels, 1 apart
        scale.map = ColourMap::levels;
        scale.classes = {"L1", "L2", "DRAM"};
        scale.note = "A warp's colour mixes those of its sectors. A model.";
        scale.open_ended = false;
    } else if (row_of(metric).kind == Kind::lanes) {
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
    const bool lanes = row_of(metric).kind == Kind::lanes;
    if (lanes)
        scale.low = std::min(range.min, scale.high - 1);
    else if (is_ratio(metric))
        scale.high = std::max(range.max, 1.1F);
    else
        scale.high = round_top(range.max);
    if (lanes || is_ratio(metric)) {
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
    const Ratio ratio = row_of(metric).counts;
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
