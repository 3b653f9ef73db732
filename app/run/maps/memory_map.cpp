// The trace counts by sector from the array's first address; the scale ends at the maximum.
#include "app/run/maps/memory_map.h"

#include <algorithm>
#include <span>

#include "app/run/maps/growable_buffer.h"

namespace lanescope::app {
namespace {

constexpr std::size_t sector_bytes = 32;

using Memory = labs::Experiment::Memory;

std::optional<Memory> chosen(const labs::Experiment& experiment, const std::string& name)
{
    const auto all = experiment.memory();
    const auto found = std::ranges::find(all, name, &Memory::name);
    if (found != all.end()) return *found;
    return all.empty() ? std::nullopt : std::optional(all.front());
}

std::uint32_t greatest(const std::vector<std::uint32_t>& counts)
{
    return counts.empty() ? 0 : std::ranges::max(counts);
}

} // namespace

void MemoryMap::ask(const labs::Experiment& experiment, const std::string& name,
                    trace::Trace& trace, device::Allocator& shown)
{
    const auto memory = chosen(experiment, name);
    if (!memory) return;
    name_ = memory->name;
    row_bytes_ = memory->row_bytes;
    const std::size_t sectors = (memory->bytes + sector_bytes - 1) / sector_bytes;
    const std::size_t bytes = sectors * sizeof(std::uint32_t);
    if (!has_room(touches_, bytes) || !has_room(warps_, bytes)) taken_.reset();
    make_room(touches_, bytes, shown);
    make_room(warps_, bytes, shown);
    trace.watched.address = memory->buffer->address();
    trace.watched.bytes = memory->bytes;
}

void MemoryMap::take(const trace::Trace& trace)
{
    taken_.reset();
    if (trace.watched.bytes == 0) return;
    Taken taken{.name = name_, .row_bytes = row_bytes_};
    if (trace.keep_on_device) {
        const trace::DeviceCounts& counts = trace.device_counts;
        const std::size_t bytes = counts.sectors * sizeof(std::uint32_t);
        if (counts.sectors == 0 || bytes > touches_->bytes()) return;
        device_.copy(touches_->address(), counts.touches, bytes);
        device_.copy(warps_->address(), counts.touch_warps, bytes);
        taken.sectors = static_cast<int>(counts.sectors);
    } else {
        const trace::SectorTouches& counts = trace.watched;
        const auto bytes = std::as_bytes(std::span(counts.touches));
        if (bytes.empty() || bytes.size() > touches_->bytes()) return;
        device_.upload(touches_->address(), bytes);
        taken.warps_counted = counts.warps.size() == counts.touches.size();
        if (taken.warps_counted)
            device_.upload(warps_->address(), std::as_bytes(std::span(counts.warps)));
        taken.sectors = static_cast<int>(counts.touches.size());
        taken.max_touches = greatest(counts.touches);
        taken.max_warps = greatest(counts.warps);
    }
    taken_ = taken;
}

render::MemoryMapData MemoryMap::data(render::SectorMetric metric) const
{
    const device::Buffer& counts = metric == render::SectorMetric::touches ? *touches_ : *warps_;
    return {sharing_.gl_buffer(counts), taken_->sectors};
}

} // namespace lanescope::app
