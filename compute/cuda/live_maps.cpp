// Painting maps, and fetching their extremes without waiting.
#include "compute/cuda/live_maps.h"

#include <bit>

#include "compute/cuda/map_kernels.h"

namespace lanescope::cuda {

struct LiveMaps::Slot {
    Memory on_device = make_memory(sizeof(Extremes));
    PinnedMemory on_host = make_pinned_memory(sizeof(Extremes));
    Event arrived = make_event();
    bool waiting = false;

    Extremes* device_extremes() const { return static_cast<Extremes*>(on_device.get()); }
};

LiveMaps::LiveMaps(CudaDevice& device) : device_(device)
{
    device.use();
    slots_ = std::make_unique<std::array<Slot, 4>>();
}

LiveMaps::~LiveMaps() = default;

LiveMaps::Slot& LiveMaps::begin_map()
{
    device_.use();
    Slot& slot = (*slots_)[next_++ % slots_->size()];
    auto* stream = static_cast<cudaStream_t>(device_.stream());
    static_assert(Extremes{}.low_bits == 0xffffffffu && Extremes{}.high_bits == 0);
    device_.check(cudaMemsetAsync(&slot.device_extremes()->low_bits, 0xff, 4, stream));
    device_.check(cudaMemsetAsync(&slot.device_extremes()->high_bits, 0, 4, stream));
    return slot;
}

void LiveMaps::end_map(Slot& slot)
{
    auto* stream = static_cast<cudaStream_t>(device_.stream());
    device_.check(cudaMemcpyAsync(slot.on_host.get(), slot.on_device.get(), sizeof(Extremes),
                                  cudaMemcpyDeviceToHost, stream));
    device_.check(cudaEventRecord(slot.arrived.get(), stream));
    slot.waiting = true;
}

void LiveMaps::paint_warps(const trace::DeviceCounts& counts, trace::WarpMetric metric,
                           device::Address values)
{
    Slot& slot = begin_map();
    device_.check(queue_warp_map(counts, metric, reinterpret_cast<float*>(values),
                                 slot.device_extremes(),
                                 static_cast<cudaStream_t>(device_.stream())));
    end_map(slot);
}

void LiveMaps::paint_memory(const trace::DeviceCounts& counts, trace::MemoryMetric metric,
                            device::Address values)
{
    Slot& slot = begin_map();
    const std::uint64_t from =
        metric == trace::MemoryMetric::touches ? counts.touches : counts.touch_warps;
    device_.check(queue_memory_map(reinterpret_cast<const std::uint32_t*>(from), counts.sectors,
                                   reinterpret_cast<float*>(values), slot.device_extremes(),
                                   static_cast<cudaStream_t>(device_.stream())));
    end_map(slot);
}

std::optional<LiveMaps::Range> LiveMaps::range()
{
    device_.use();
    const std::size_t count = slots_->size();
    for (std::size_t back = std::min(next_, count); back > 0;
         --back) { // oldest first: the newest that is there wins
        Slot& slot = (*slots_)[(next_ - back) % count];
        if (!slot.waiting) continue;
        const cudaError_t status = cudaEventQuery(slot.arrived.get());
        if (status == cudaErrorNotReady) {
            cudaGetLastError();
            break;
        }
        device_.check(status);
        slot.waiting = false;
        const Extremes found = *static_cast<const Extremes*>(slot.on_host.get());
        if (found.low_bits <= found.high_bits)
            newest_ =
                Range{std::bit_cast<float>(found.low_bits), std::bit_cast<float>(found.high_bits)};
    }
    return newest_;
}

} // namespace lanescope::cuda
