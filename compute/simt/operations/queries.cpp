// Queries of the machine: clocks (which count instructions, so that every run is the same), the
// space of an address, cache policies.
#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

using ptx::Op;

// Each warp instruction is one tick, for both %clock and %globaltimer.
template <bool Wide, bool High>
Flow clock(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const std::uint64_t ticks = x.block->steps + x.slice_steps;
    for (; mask != 0; mask &= mask - 1) {
        if constexpr (Wide)
            x.row<std::uint64_t>(in.d)[lowest_lane(mask)] = ticks;
        else
            x.row<std::uint32_t>(in.d)[lowest_lane(mask)] =
                static_cast<std::uint32_t>(High ? ticks >> 32 : ticks);
    }
    return Flow::next;
}

Flow grid_id(Executor& x, const Instruction& in, std::uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1)
        x.row<std::uint64_t>(in.d)[lowest_lane(mask)] = x.launch.grid_id;
    return Flow::next;
}

template <ptx::Space space>
Flow test_space(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto* addresses = x.row<const std::uint64_t>(in.a);
    std::uint32_t inside = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        if (space_of(addresses[lowest_lane(rest)]) == space) inside |= rest & (~rest + 1);
    auto& predicate = *x.row<std::uint32_t>(in.d);
    predicate = (predicate & ~mask) | inside;
    return Flow::next;
}

// The machine has no caches to which a policy could apply; its bits are opaque to programs.
Flow create_policy(Executor& x, const Instruction& in, std::uint32_t mask)
{
    constexpr std::uint64_t evict_normal = 0x1000000000000000;
    for (; mask != 0; mask &= mask - 1)
        x.row<std::uint64_t>(in.d)[lowest_lane(mask)] = evict_normal;
    return Flow::next;
}

Handlers space_test(ptx::Space space)
{
    switch (space) {
    case ptx::Space::local: return same<test_space<ptx::Space::local>>();
    case ptx::Space::constant: return same<test_space<ptx::Space::constant>>();
    case ptx::Space::param: return same<test_space<ptx::Space::param>>();
    default: return same<test_space<ptx::Space::global>>();
    }
}

} // namespace

Handlers grid_id_handlers()
{
    return same<grid_id>();
}

Handlers clock_handlers(bool wide, bool high)
{
    if (wide) return same<clock<true, false>>(HandlerKind::clock);
    return high ? same<clock<false, true>>(HandlerKind::clock)
                : same<clock<false, false>>(HandlerKind::clock);
}

Handlers query_handlers(const ptx::Instruction& in)
{
    switch (in.op) {
    case Op::mapa:
    case Op::getctarank: return cluster_address_handlers(in);
    case Op::isspacep:
        return in.modifiers.space == ptx::Space::shared ? cluster_address_handlers(in)
                                                        : space_test(in.modifiers.space);
    case Op::createpolicy: return same<create_policy>();
    case Op::alloca:
    case Op::stacksave:
    case Op::stackrestore: return stack_handlers(in.op);
    default: return {};
    }
}

} // namespace lanescope::simt
