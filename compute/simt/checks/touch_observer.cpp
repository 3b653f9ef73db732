// The ends of ranges alone are kept: an access costs a few comparisons.
#include "compute/simt/checks/touch_observer.h"

#include <algorithm>

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

trace::Touched& TouchObserver::of(const Allocation& allocation)
{
    if (allocation.number > 0) {
        const auto index = static_cast<std::size_t>(allocation.number);
        if (by_number_.size() <= index) by_number_.resize(index + 1);
        by_number_[index].allocation = allocation.begin;
        return by_number_[index];
    }
    const auto found = std::ranges::find(others_, allocation.begin, &trace::Touched::allocation);
    if (found != others_.end()) return *found;
    return others_.emplace_back(trace::Touched{.allocation = allocation.begin});
}

void TouchObserver::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global) return;
    const auto note = [&](const Allocation& allocation, std::uint64_t begin, std::uint64_t end) {
        trace::Touched& touched = of(allocation);
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
    of(*event.group.allocation)
        .read.add(base + static_cast<std::uint64_t>(event.batch.offsets.front()),
                  reach + static_cast<std::uint64_t>(event.batch.offsets.back()));
}

void TouchObserver::merge_into(trace::Trace& trace) const
{
    for (const auto* all : {&by_number_, &others_})
        for (const trace::Touched& touched : *all) {
            if (!touched.read.any() && !touched.written.any() && !touched.updated.any()) continue;
            const auto place = std::ranges::lower_bound(trace.touched, touched.allocation, {},
                                                        &trace::Touched::allocation);
            if (place != trace.touched.end() && place->allocation == touched.allocation)
                *place += touched;
            else
                trace.touched.insert(place, touched);
        }
}

} // namespace lanescope::simt
