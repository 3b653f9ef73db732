// atom and red on global, shared and generic addresses.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
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

// The rows of the operands, copied because a destination may be the operand of a later element.
struct VectorOperands {
    alignas(64) std::array<std::array<std::uint32_t, warp_lanes>, 8> rows;

    VectorOperands(Executor& x, const Access& access)
    {
        for (std::size_t i = 0; i < access.elements; ++i)
            std::copy_n(x.row<const std::uint32_t>(access.values[i]), warp_lanes, rows[i].begin());
    }
};

// Each element is updated separately; Access::values: the rows of the operands.
Flow vector_atomic(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    const Access& old = x.function->accesses[in.extra - 1];
    Addresses at;
    form_addresses(x, access, active, at);
    const VectorOperands operands(x, access);
    for_each_space(
        x, in, access, at, active,
        [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
            const int lowest = lowest_lane(mask);
            if (space == ptx::Space::constant || space == ptx::Space::param)
                throw_read_only(x, in, access, space, lowest, lanes.lane[lowest]);
            if (space != ptx::Space::global)
                x.fault(in, "bad_address", lowest, lanes.lane[lowest] + window(space),
                        fmt::format("atomically updates a vector in its {} memory; atomics on "
                                    "vectors need global memory",
                                    space == ptx::Space::shared ? "shared" : "local"));
            const Reach found = reach(x, in, access, space, lanes, mask);
            if (!x.observers.empty()) observe(x, in, access, space, lanes, mask, found);
            const auto base = reinterpret_cast<std::uintptr_t>(found.base);
            for (std::size_t i = 0; i < access.elements; ++i)
                access.atomic_global(reinterpret_cast<std::byte*>(base + i * access.element_bytes),
                                     found.offsets, mask, operands.rows[i].data(), nullptr,
                                     x.row<void>(old.values[i]));
        });
    return Flow::next;
}

} // namespace

Handlers atomic_handlers()
{
    return same<atomic>(HandlerKind::atomic);
}
Handlers vector_atomic_handlers()
{
    return same<vector_atomic>(HandlerKind::atomic);
}

} // namespace lanescope::simt
