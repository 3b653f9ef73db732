// The heatmap over the picture: each element in the colour of what its warp did.
#pragma once

#include <optional>
#include <span>

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/maps/map_data.h"
#include "render/views/maps/warp_metric.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/hatching.h"

namespace lanescope::render {

// One warp's value; nothing where the warp did none of it (no shared memory, no global memory).
std::optional<float> value(WarpMetric metric, const trace::WarpCounts& warp);

// Whether it is over what the same lanes needed: 1 is ideal.
bool is_ratio(WarpMetric metric);

// The scale that never changes, so that variants can be compared by eye. A warp's own sums: 0 to
// 1000.
Scale fixed_scale(WarpMetric metric);

// The least and the greatest value among warps; nothing where none has one.
struct ValueRange {
    float least = 0;
    float greatest = 0;
};
std::optional<ValueRange> range_of(WarpMetric metric, std::span<const trace::WarpCounts> warps);

// Up to the greatest value: of ratios from what is ideal on, of sums from 0 to a round number, of
// active lanes from the least to 32.
Scale automatic_scale(WarpMetric metric, const ValueRange& range);

// The warp that stored the element under a point of the picture ([0, 1] from the lower left), read
// back from the buffers: waits for OpenGL.
struct PointedWarp {
    std::uint32_t index = 0; // in the launch
    trace::WarpCounts counts;
};
std::optional<PointedWarp> warp_at(const WarpMapData& data, glm::dvec2 picture);

class WarpMapView {
public:
    WarpMapView();
    // Compiles one program that it may need over a picture of so many samples along a pixel's side;
    // false when all are.
    bool prepare(int samples) { return programs_.prepare(samples) || with_borders_.prepare(); }
    // Over what is there: `blend` 1 hides it. Elements without a value stay as they are. Borders
    // appear when there is room for them: of blocks from 3 pixels an element on, of warps from 6.
    // Values above an open-ended scale are hatched.
    void draw(const WarpMapData& data, WarpMetric metric, const Placement& placement,
              const MapStyle& style, float blend);

private:
    CellPrograms programs_;
    gl::LazyProgram with_borders_;
    CellDrawing cells_;
    gl::BufferTexture owners_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
