// The heatmap over the picture: each element in the colour of what its warp did.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compute/trace/trace.h"
#include "render/gl/objects.h"
#include "render/views/paint/cells.h"
#include "render/views/scale.h"

namespace lanescope::render {

enum class WarpMetric { active_lanes, sector_excess, bank_conflicts, instructions };

inline constexpr std::array all_warp_metrics{WarpMetric::active_lanes, WarpMetric::sector_excess,
                                             WarpMetric::bank_conflicts, WarpMetric::instructions};
// "active_lanes", as sessions and the command line have it.
std::string_view name(WarpMetric metric);
std::optional<WarpMetric> warp_metric(std::string_view name);

// One warp's value; nothing where the warp did none of it (no shared memory, no global memory).
std::optional<float> value(WarpMetric metric, const trace::WarpCounts& warp);

// The scale that never changes, so that variants can be compared by eye. Instructions: 0 to 1000.
Scale fixed_scale(WarpMetric metric);
// From the least to the greatest value among the warps.
Scale automatic_scale(WarpMetric metric, std::span<const trace::WarpCounts> warps);

struct WarpMapData {
    // width × height unsigned 32-bit: warp index + 1, 0 where nothing was stored; row 0 at the
    // bottom.
    GLuint owners = 0;
    int width = 0;
    int height = 0;
    GLuint warps = 0; // warp_count × trace::WarpCounts
    int warp_count = 0;
    int warp_words = sizeof(trace::WarpCounts) / 4; // from one warp's counts to the next's
    int warps_per_block = 1;
};

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
    // Compiles one program that it may need; false when all are.
    bool prepare() { return programs_.prepare() || with_borders_.prepare(); }
    // Over what is there: `blend` 1 hides it. Elements without a value stay as they are. Borders
    // appear when there is room for them: of blocks from 3 pixels an element on, of warps from 6.
    void draw(const WarpMapData& data, WarpMetric metric, const Scale& scale,
              const Placement& placement, float blend, Colour border);

private:
    CellPrograms programs_;
    gl::LateProgram with_borders_;
    gl::VertexArray array_;
    gl::BufferTexture owners_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

} // namespace lanescope::render
