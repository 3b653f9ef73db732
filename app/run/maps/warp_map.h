// The counts of one launch where OpenGL can draw them: which warp stored each element of the
// picture, and what every warp did. On a GPU they are copied there without the processor seeing
// them.
#pragma once

#include <memory>
#include <optional>

#include "compute/device/device.h"
#include "compute/labs/lab.h"
#include "render/shared/sharing.h"
#include "render/views/maps/warp_map.h"

namespace lanescope::app {

class WarpMap {
public:
    WarpMap(device::Device& device, render::Sharing& sharing) : device_(device), sharing_(sharing)
    {
    }

    // Asks `trace` for what the map needs of the launch that comes next, and makes room for it
    // through `shown`; for nothing when that launch makes no picture. While mapped, because memory
    // has no address before.
    void ask(const labs::Experiment& experiment, trace::Trace& trace, device::Allocator& shown);
    // Takes the counts of that launch over, if it was asked for any. While mapped; `shown` makes
    // more room where kernels have launched kernels.
    void take(const trace::Trace& trace, device::Allocator& shown);

    // What to draw; nothing before the first take(). While not mapped.
    std::optional<render::WarpMapData> data() const;
    void clear() { taken_.reset(); }

private:
    struct Taken {
        int width = 0;
        int height = 0;
        int warp_count = 0;
        int warps_per_block = 1;
    };
    device::Device& device_;
    render::Sharing& sharing_;
    std::unique_ptr<device::Buffer> owners_;
    std::unique_ptr<device::Buffer> warps_;
    labs::Experiment::Result result_; // of the step that was asked about
    Dim3 block_;
    std::optional<Taken> taken_;
};

} // namespace lanescope::app
