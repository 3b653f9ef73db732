// The heatmap over the picture: each element coloured by a metric of the warp that stored it.
#pragma once

#include <optional>
#include <span>

#include "compute/trace/served.h"
#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/hatching.h"
#include "render/views/colours/scale.h"
#include "render/views/maps/map_data.h"
#include "render/views/maps/warp_metric.h"
#include "render/views/paint/cells.h"

namespace lanescope::render {

// One warp's value; empty if it has none (no shared or global memory access).
std::optional<float> value(WarpMetric metric, const trace::WarpCounts& warp);

// The scale that never changes, so that variants can be compared by eye. Totals per warp range from
// 0 to 1000.
Scale fixed_scale(WarpMetric metric);

// Minimum and maximum over warps; empty if no warp has a value.
struct ValueRange {
    float min = 0;
    float max = 0;
};
std::optional<ValueRange> range_of(WarpMetric metric, std::span<const trace::WarpCounts> warps);

// A scale that ends at the maximum value. It starts at the ideal for ratios, at 0 for sums (and
// ends at a round number), and at the minimum for active lanes (and ends at 32).
Scale automatic_scale(WarpMetric metric, const ValueRange& range);

// The warp that stored the element under a point of the picture ([0, 1] from the lower left), read
// back from the buffers: waits for OpenGL.
struct PointedWarp {
    std::uint32_t index = 0; // index in the launch
    trace::WarpCounts counts;
    std::optional<trace::Served> served{}; // empty if the caches were not followed
};
std::optional<PointedWarp> warp_at(const WarpMapData& data, glm::dvec2 picture);

class WarpMapView {
public:
    WarpMapView();
    // Compiles one of the programs needed for a picture with `samples` per pixel side; returns
    // false if all are compiled.
    bool prepare(int samples) { return programs_.prepare(samples) || with_borders_.prepare(); }
    // Draws over the current picture: `blend` 1 hides it. Elements without a value are unchanged.
    // Borders are drawn where there is room: of blocks from 3 pixels per element and about 30 per
    // block, of warps, which may be one element high, from 12 pixels per element.
    // Values above an open-ended scale are hatched.
    void draw(const WarpMapData& data, WarpMetric metric, const Placement& placement,
              const MapStyle& style, float blend);

private:
    void set_counts(gl::Program& program, const WarpMapData& data, WarpMetric metric);

    CellPrograms programs_;
    gl::LazyProgram with_borders_;
    CellPrograms level_programs_; // for served_cold and served_warm
    gl::LazyProgram levels_with_borders_;
    CellDrawing cells_;
    gl::BufferTexture owners_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
