// The counts of one launch in memory that OpenGL can draw: which warp stored each element of the
// picture, and each warp's counts. On a GPU they never pass through the CPU.
#pragma once

#include <memory>
#include <optional>

#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"
#include "render/shared/sharing.h"
#include "render/views/maps/warp_map.h"

namespace lanescope::app {

class WarpMap {
public:
    WarpMap(device::Device& device, render::Sharing& sharing) : device_(device), sharing_(sharing)
    {
    }

    // Makes `trace` take the counts that the map needs in the next launch, and allocates room for
    // them through `shown`. Does nothing if that launch makes no picture. Call while the shared
    // memory is mapped; otherwise it has no address.
    void ask(const labs::Experiment& experiment, trace::Trace& trace, device::Allocator& shown);
    // Stores the counts of that launch, if ask() requested any. Call while mapped. `shown`
    // allocates more room if kernels launched kernels.
    // `served` is that launch, followed through the caches, or null.
    void take(const trace::Trace& trace, const trace::ServedBy* served, device::Allocator& shown);

    // The data to draw; empty before the first take(). Call while not mapped.
    std::optional<render::WarpMapData> data() const;
    void clear() { taken_.reset(); }

private:
    bool take_served(const trace::ServedBy* served, device::Allocator& shown);

    struct Taken {
        int width = 0;
        int height = 0;
        int warp_count = 0;
        int warps_per_block = 1;
        bool served = false;
    };
    device::Device& device_;
    render::Sharing& sharing_;
    std::unique_ptr<device::Buffer> owners_;
    std::unique_ptr<device::Buffer> warps_;
    std::unique_ptr<device::Buffer> served_;
    labs::Experiment::Result result_; // result of the requested step
    Dim3 block_;
    std::optional<Taken> taken_;
};

} // namespace lanescope::app
