// Keeps only the ends of ranges, so an access costs a few comparisons.
#include "compute/simt/checks/touch_observer.h"

#include <algorithm>

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

void TouchObserver::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global) return;
    const auto note = [&](const Allocation& allocation, std::uint64_t begin, std::uint64_t end) {
        trace::Touched& touched = touched_.at(allocation);
        trace::Touched::Range& range = event.op == trace::Op::load    ? touched.read
                                       : event.op == trace::Op::store ? touched.written
                                                                      : touched.updated;
        range.add(begin, end);
    };
    if (event.allocation != nullptr) return note(*event.allocation, event.low, event.high);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        if (const Allocation* allocation = x.launch.memory.find(address))
            note(*allocation, address, address + static_cast<std::uint64_t>(event.width_bytes));
    }
}

void TouchObserver::loads(Executor&, const BatchEvent& event)
{
    if (event.space != ptx::Space::global || event.group.allocation == nullptr) return;
    const std::uint64_t base = event.group.at.low - event.group.offset;
    const std::uint64_t reach = event.group.at.high - event.group.offset;
    touched_.at(*event.group.allocation)
        .read.add(base + static_cast<std::uint64_t>(event.batch.offsets.front()),
                  reach + static_cast<std::uint64_t>(event.batch.offsets.back()));
}

void TouchObserver::merge_into(trace::Trace& trace) const
{
    for (const auto& [begin, touched] : touched_) {
        const auto place =
            std::ranges::lower_bound(trace.touched, begin, {}, &trace::Touched::allocation);
        if (place != trace.touched.end() && place->allocation == begin) {
            *place += touched;
        } else {
            trace.touched.insert(place, touched)->allocation = begin;
        }
    }
}

} // namespace lanescope::simt
