// How often each sector of one of the experiment's arrays was touched in a launch, and by how many
// warps, where OpenGL can draw it. On a GPU the counts go there without the processor seeing them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compute/device/device.h"
#include "compute/labs/lab.h"
#include "render/shared/sharing.h"
#include "render/views/maps/memory_map.h"

namespace lanescope::app {

class MemoryMap {
public:
    MemoryMap(device::Device& device, render::Sharing& sharing) : device_(device), sharing_(sharing)
    {
    }

    // Asks `trace` for the counts of the memory `name` in the launch that comes next, or of the
    // first memory there is, and makes room for them through `shown`; for nothing when the variant
    // has none. While mapped, because memory has no address before.
    void ask(const labs::Experiment& experiment, const std::string& name, trace::Trace& trace,
             device::Allocator& shown);
    // Takes the counts of that launch over, if it was asked for any. While mapped.
    void take(const trace::Trace& trace);
    void clear() { taken_.reset(); }

    // What there is to draw; nothing before the first take().
    struct Taken {
        std::string name;
        int sectors = 0;
        std::size_t row_bytes = 0; // of the array; 0: it has no rows
        // The greatest counts; 0 where they stayed on the GPU.
        std::uint32_t max_touches = 0;
        std::uint32_t max_warps = 0;
        bool warps_counted = true; // false: there were more pairs of sector and warp than fit
    };
    const std::optional<Taken>& taken() const { return taken_; }
    // While not mapped.
    render::MemoryMapData data(render::SectorMetric metric) const;

private:
    device::Device& device_;
    render::Sharing& sharing_;
    std::unique_ptr<device::Buffer> touches_;
    std::unique_ptr<device::Buffer> warps_;
    std::string name_;          // of the memory that was asked about
    std::size_t row_bytes_ = 0; // of its rows
    std::optional<Taken> taken_;
};

} // namespace lanescope::app
