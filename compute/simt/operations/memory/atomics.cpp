// atom and red on global, shared and generic addresses.
#include "compute/simt/checks/faults.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

// Access::values: row of the old value (or no_row), then b and c.
Flow atomic(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    Addresses at;
    form_addresses(x, access, active, at);
    x.warp->slice_spins += access.synchronising;
    for_each_space(x, in, access, at, active,
                   [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
                       const int lowest = lowest_lane(mask);
                       if (space == ptx::Space::constant || space == ptx::Space::param)
                           throw_read_only(x, in, access, space, lowest, lanes.lane[lowest]);
                       if (space == ptx::Space::local)
                           x.fault(in, "bad_address", lowest, lanes.lane[lowest] + window(space),
                                   "atomically updates its local memory, which atomics cannot do");
                       const Reach found = reach(x, in, access, space, lanes, mask);
                       if (!x.observers.empty()) observe(x, in, access, space, lanes, mask, found);
                       const AtomicFunction update = space != ptx::Space::global ? access.atomic
                                                     : x.launch.parallel ? access.atomic_parallel
                                                                         : access.atomic_global;
                       update(found.base, found.offsets, mask, x.row<const void>(access.values[1]),
                              x.row<const void>(access.values[2]), x.row<void>(access.values[0]));
                   });
    return Flow::next;
}

} // namespace

Handlers atomic_handlers()
{
    return same<atomic>(HandlerKind::atomic);
}

} // namespace lanescope::simt
