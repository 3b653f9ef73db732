// The heatmap over memory: the 32-byte sectors of a buffer in address order, four (one line) next
// to each other.
#pragma once

#include <cstdint>
#include <optional>

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/hatching.h"
#include "render/views/colours/scale.h"
#include "render/views/maps/map_data.h"
#include "render/views/paint/cells.h"

namespace lanescope::render {

// Scale of the number of requests that touched a sector, or of distinct warps that did. The fixed
// range is always 0 to 8, so that variants can be compared by eye; the automatic one ends at the
// maximum.
Scale fixed_scale(SectorMetric metric);
Scale automatic_scale(SectorMetric metric, std::uint32_t greatest);

// Rows from the top, addresses increasing to the right.
struct MemoryGrid {
    int columns = 4; // sectors per row
    int rows = 1;
    double cell = 1; // aspect ratio of a cell, width over height
    double aspect() const { return cell * columns / rows; }
    // The sector under a point of the picture ([0, 1] from the lower left); empty if there is none.
    std::optional<int> sector_at(glm::dvec2 picture, int sectors) const;
};

// The layout of this many sectors that best fills a viewport of this aspect ratio. An array with
// rows wraps at them, to the nearest sector, so that vertical neighbours stay aligned; with
// `row_bytes` 0 each row has whole lines.
MemoryGrid memory_grid(int sectors, double aspect, std::size_t row_bytes = 0);

// Reads one sector's count back from the buffer: waits for OpenGL.
std::uint32_t count_of(const MemoryMapData& data, int sector);

class MemoryMapView {
public:
    MemoryMapView();
    // Compiles one of the programs that may be needed; returns false if all are compiled.
    bool prepare() { return programs_.prepare() || with_gaps_.prepare(); }
    // Gaps between sectors and lines are drawn where there is room.
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
