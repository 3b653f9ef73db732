// Maps drawn where the counts are: kernels turn the counters of a probed launch into values that
// OpenGL shows, and nothing is read back but the extremes, some frames later.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "compute/cuda/cuda_device.h"
#include "compute/trace/metrics.h"

namespace lanescope::cuda {

// Frame: a traced step with Trace::keep_on_device → paint → draw. Everything is queued on the
// device's stream.
class LiveMaps {
public:
    explicit LiveMaps(CudaDevice& device);
    ~LiveMaps();

    // `values` takes DeviceCounts::elements floats: the metric of the warp that stored the element,
    // NaN where none did.
    void paint_warps(const trace::DeviceCounts& counts, trace::WarpMetric metric,
                     device::Address values);
    // `values` takes DeviceCounts::sectors floats, NaN for sectors that were not touched.
    void paint_memory(const trace::DeviceCounts& counts, trace::MemoryMetric metric,
                      device::Address values);

    // The extremes of the newest map whose extremes have arrived, for automatic scales. Never
    // waits.
    struct Range {
        float low = 0;
        float high = 0;
    };
    std::optional<Range> range();

private:
    struct Slot;
    Slot& begin_map();
    void end_map(Slot& slot);

    CudaDevice& device_;
    std::unique_ptr<std::array<Slot, 4>> slots_;
    std::size_t next_ = 0;
    std::optional<Range> newest_;
};

} // namespace lanescope::cuda
