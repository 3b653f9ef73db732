// Layout of the sectors, the auto range, and the map's program.
#include "render/views/maps/memory_map.h"

#include <algorithm>
#include <cmath>

namespace lanescope::render {
namespace {

constexpr int sectors_per_line = 4;
constexpr double min_cell_with_gaps_px = 6;

} // namespace

Scale fixed_scale(SectorMetric metric)
{
    Scale scale{.low = 0, .high = 8, .map = ColourMap::viridis};
    scale.quantity = metric == SectorMetric::touches ? "requests per sector" : "warps per sector";
    scale.whole = scale.open_ended = true;
    return scale;
}

Scale automatic_scale(SectorMetric metric, std::uint32_t greatest)
{
    Scale scale = fixed_scale(metric);
    scale.automatic = true;
    scale.open_ended = false;
    scale.high = static_cast<float>(std::max(greatest, 1U));
    return scale;
}

std::optional<int> MemoryGrid::sector_at(glm::dvec2 picture, int sectors) const
{
    if (picture.x < 0 || picture.x >= 1 || picture.y <= 0 || picture.y > 1) return std::nullopt;
    const int column = static_cast<int>(picture.x * columns);
    const int row = std::min(static_cast<int>((1 - picture.y) * rows), rows - 1);
    const int sector = row * columns + column;
    return sector < sectors ? std::optional(sector) : std::nullopt;
}

MemoryGrid memory_grid(int sectors, double aspect, std::size_t row_bytes)
{
    // Rows shorter than a line would make a thin strip.
    if (row_bytes >= sectors_per_line * sector_bytes) {
        const auto columns = static_cast<int>((row_bytes + sector_bytes / 2) / sector_bytes);
        const int rows = (std::max(sectors, 1) + columns - 1) / columns;
        // A sector holds eight adjacent floats, so its cell may be up to eight times as wide as
        // high.
        constexpr double widest = 8;
        const double cell = std::clamp(aspect * rows / columns, 1.0, widest);
        if (rows > 1) return {columns, rows, cell};
    }
    const double lines_across = std::sqrt(std::max(sectors, 1) * aspect) / sectors_per_line;
    const int columns =
        sectors_per_line * std::max(1, static_cast<int>(std::ceil(lines_across - 1e-9)));
    return {columns, std::max(1, (sectors + columns - 1) / columns), 1};
}

std::uint32_t count_of(const MemoryMapData& data, int sector)
{
    std::uint32_t count = 0;
    glGetNamedBufferSubData(data.counts, GLintptr{sector} * GLintptr{sizeof count}, sizeof count,
                            &count);
    return count;
}

MemoryMapView::MemoryMapView()
    : programs_("shaders/memory_map.frag"),
      with_gaps_("shaders/rect.vert", "shaders/memory_map.frag", "BORDERS"), counts_(GL_R32UI)
{
}

void MemoryMapView::draw(const MemoryMapData& data, const MemoryGrid& grid,
                         const Placement& placement, const MapStyle& style)
{
    const auto& [scale, untouched, hatching] = style;
    const glm::dvec2 cell_px = placement.size / glm::dvec2(grid.columns, grid.rows);
    const bool gaps = std::min(cell_px.x, cell_px.y) >= min_cell_with_gaps_px;
    gl::LazyProgram& chosen =
        gaps ? with_gaps_ : programs_.choose(grid.columns, grid.rows, placement);
    gl::Program& program = chosen.get();
    counts_.attach(data.counts);
    counts_.bind(0);
    maps_.set(program, scale, 1);
    set(program, scale, hatching);
    program.set("counts", 0);
    program.set("sectors", data.sectors);
    program.set("untouched",
                glm::vec4(untouched.red, untouched.green, untouched.blue, 255) / 255.0f);
    if (gaps) {
        program.set("gap", glm::vec2(1.0 / cell_px.x, 1.0 / cell_px.y));
        program.set("line_gap", static_cast<float>(3.0 / cell_px.x));
    }
    cells_.draw(chosen, grid.columns, grid.rows, placement);
}

} // namespace lanescope::render
