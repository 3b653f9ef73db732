// How often each sector of an array was accessed in a launch, and by how many warps, in memory that
// OpenGL can draw. On a GPU the counts never pass through the CPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"
#include "render/shared/sharing.h"
#include "render/views/maps/memory_map.h"

namespace lanescope::app {

class MemoryMap {
public:
    MemoryMap(device::Device& device, render::Sharing& sharing) : device_(device), sharing_(sharing)
    {
    }

    // Makes `trace` count the accesses to memory `name`, or to the first memory, in the next
    // launch; allocates room for the counts through `shown`. Does nothing if the variant has no
    // memory. Call while the shared memory is mapped; otherwise it has no address.
    void ask(const labs::Experiment& experiment, const std::string& name, trace::Trace& trace,
             device::Allocator& shown);
    // Stores the counts of that launch, if ask() requested any. Call while mapped.
    void take(const trace::Trace& trace);
    void clear() { taken_.reset(); }

    // The data to draw; empty before the first take().
    struct Taken {
        std::string name;
        int sectors = 0;
        std::size_t row_bytes = 0; // per row of the array; 0: no rows
        // Maximum counts; 0 if they stayed on the GPU.
        std::uint32_t max_touches = 0;
        std::uint32_t max_warps = 0;
        bool warps_counted = true; // false if there were more pairs of sector and warp than fit
    };
    const std::optional<Taken>& taken() const { return taken_; }
    // Call while not mapped.
    render::MemoryMapData data(render::SectorMetric metric) const;

private:
    device::Device& device_;
    render::Sharing& sharing_;
    std::unique_ptr<device::Buffer> touches_;
    std::unique_ptr<device::Buffer> warps_;
    std::string name_;          // name of the requested memory
    std::size_t row_bytes_ = 0; // per row of the array
    std::optional<Taken> taken_;
};

} // namespace lanescope::app
