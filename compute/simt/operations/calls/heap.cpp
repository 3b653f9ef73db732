// Kernels that use malloc or free run their blocks in order, so that addresses are the same on
// every run and no other core accesses the map of allocations.
#include "compute/simt/operations/calls/heap.h"

#include <fmt/format.h>

#include "compute/simt/operations/calls/call_values.h"

namespace lanescope::simt {

void allocate_on_heap(Executor& x, const Call& call, std::uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const auto bytes = call_argument<std::uint64_t>(x, call, 0, lane);
        write_result(x, call, lane, x.launch.memory.allocate_heap(bytes));
    }
}

void free_on_heap(Executor& x, const Instruction& in, const Call& call, std::uint32_t mask)
{
    // Invalidate the cache: it may contain the freed allocation.
    x.hits.assign(x.hits.size(), Region{});
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const auto begin = call_argument<Address>(x, call, 0, lane);
        if (begin == 0 || x.launch.memory.release_heap(begin)) continue;
        const Memory::Released* gone = x.launch.memory.released(begin);
        const bool twice = gone != nullptr && gone->heap && gone->begin == begin;
        x.fault(in, "bad_free", lane, begin,
                twice ? fmt::format("frees allocation {} of the device heap a second time",
                                    -gone->number)
                      : fmt::format("frees the pointer {:#x}, which malloc did not return", begin));
    }
}

} // namespace lanescope::simt
