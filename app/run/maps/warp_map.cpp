// The trace fills in the owner of each element and the counts of each warp, in memory that OpenGL
// draws from.
#include "app/run/maps/warp_map.h"

#include <algorithm>

#include "app/run/maps/growable_buffer.h"

namespace lanescope::app {
namespace {

std::size_t warps_of(const Dim3& block)
{
    return (block.count() + 31) / 32;
}

} // namespace

void WarpMap::ask(const labs::Experiment& experiment, trace::Trace& trace, device::Allocator& shown)
{
    result_ = experiment.next_result();
    if (!result_.buffer && !result_.image) return;
    const labs::Experiment::Shape shape = experiment.shape();
    block_ = shape.block;
    const std::size_t owner_bytes = sizeof(std::uint32_t) * result_.width * result_.height;
    const std::size_t warp_bytes =
        shape.grid.count() * warps_of(shape.block) * sizeof(trace::WarpCounts);
    if (!has_room(owners_, owner_bytes) || !has_room(warps_, warp_bytes)) taken_.reset();
    make_room(owners_, owner_bytes, shown);
    make_room(warps_, warp_bytes, shown);
    trace.footprint = result_.footprint();
}

void WarpMap::take(const trace::Trace& trace, const trace::ServedBy* served,
                   device::Allocator& shown)
{
    taken_.reset();
    if (trace.footprint.bytes == 0) return;
    Taken taken{result_.width, result_.height, 0, static_cast<int>(warps_of(block_))};
    const std::size_t elements = static_cast<std::size_t>(result_.width) * result_.height;
    const trace::DeviceCounts& counts = trace.device_counts;
    if (trace.device_launches != 0)
        make_room(warps_,
                  std::max(counts.warp_count, trace.warps.size()) * sizeof(trace::WarpCounts),
                  shown);
    if (trace.keep_on_device) {
        const std::size_t bytes = counts.warp_count * sizeof(trace::WarpCounts);
        if (counts.elements != elements || bytes > warps_->bytes()) return;
        device_.copy(owners_->address(), counts.owners, elements * sizeof(std::uint32_t));
        device_.copy(warps_->address(), counts.warps, bytes);
        taken.warp_count = static_cast<int>(counts.warp_count);
    } else {
        const auto owners = std::as_bytes(std::span(trace.footprint.owners));
        const auto warps = std::as_bytes(std::span(trace.warps));
        if (trace.footprint.owners.size() != elements || warps.size() > warps_->bytes()) return;
        device_.upload(owners_->address(), owners);
        device_.upload(warps_->address(), warps);
        taken.warp_count = static_cast<int>(trace.warps.size());
        taken.served = take_served(served, shown);
    }
    taken_ = taken;
}

// Returns false if the caches were not followed.
bool WarpMap::take_served(const trace::ServedBy* served, device::Allocator& shown)
{
    if (served == nullptr || served->warps.empty()) return false;
    const auto bytes = std::as_bytes(std::span(served->warps));
    make_room(served_, bytes.size(), shown);
    device_.upload(served_->address(), bytes);
    return true;
}

std::optional<render::WarpMapData> WarpMap::data() const
{
    if (!taken_) return {};
    return render::WarpMapData{.owners = sharing_.gl_buffer(*owners_),
                               .width = taken_->width,
                               .height = taken_->height,
                               .warps = sharing_.gl_buffer(*warps_),
                               .warp_count = taken_->warp_count,
                               .warps_per_block = taken_->warps_per_block,
                               .served = taken_->served ? sharing_.gl_buffer(*served_) : 0};
}

} // namespace lanescope::app
