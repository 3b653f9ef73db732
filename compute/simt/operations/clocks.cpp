// Clocks that count instead of measuring, so that they are the same on every run; and isspacep.
#include "compute/simt/machine/executor.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// One warp instruction is one tick, of %clock as of %globaltimer.
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

} // namespace

Handlers clock_handlers(bool wide, bool high)
{
    if (wide) return same<clock<true, false>>();
    return high ? same<clock<false, true>>() : same<clock<false, false>>();
}

Handlers space_test_handlers(ptx::Space space)
{
    switch (space) {
    case ptx::Space::shared: return same<test_space<ptx::Space::shared>>();
    case ptx::Space::local: return same<test_space<ptx::Space::local>>();
    case ptx::Space::constant: return same<test_space<ptx::Space::constant>>();
    case ptx::Space::param: return same<test_space<ptx::Space::param>>();
    default: return same<test_space<ptx::Space::global>>();
    }
}

} // namespace lanescope::simt
