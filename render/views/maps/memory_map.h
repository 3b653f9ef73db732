// The heatmap over memory: the 32-byte sectors of a buffer in address order, four (a line) beside
// each other.
#pragma once

#include <cstdint>
#include <optional>

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/maps/map_data.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/hatching.h"

namespace lanescope::render {

// Requests that touched a sector, or distinct warps that did. The fixed range never changes, so
// that variants can be compared by eye: 0 to 8. The automatic one ends at the greatest count.
Scale fixed_scale(SectorMetric metric);
Scale automatic_scale(SectorMetric metric, std::uint32_t greatest);

// Rows from the top, addresses rising to the right.
struct MemoryGrid {
    int columns = 4; // sectors in a row
    int rows = 1;
    double cell = 1; // its width over its height
    double aspect() const { return cell * columns / rows; }
    // The sector under a point of the picture ([0, 1] from the lower left), or nothing.
    std::optional<int> sector_at(glm::dvec2 picture, int sectors) const;
};

// The grid of that many sectors that fills a viewport of these proportions best. An array with rows
// wraps at them, to the nearest sector, so that what lies below each other there does here; others,
// with `row_bytes` 0, have whole lines in a row.
MemoryGrid memory_grid(int sectors, double aspect, std::size_t row_bytes = 0);

// The count of one sector, read back from the buffer: waits for OpenGL.
std::uint32_t count_of(const MemoryMapData& data, int sector);

class MemoryMapView {
public:
    MemoryMapView();
    // Compiles one program that it may need; false when all are.
    bool prepare() { return programs_.prepare() || with_gaps_.prepare(); }
    // Gaps between sectors and lines appear when there is room.
    void draw(const MemoryMapData& data, const MemoryGrid& grid, const Placement& placement,
              const MapStyle& style);

private:
    CellPrograms programs_;
    gl::LazyProgram with_gaps_;
    CellDrawing cells_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
