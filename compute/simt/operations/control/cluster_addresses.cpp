// Addresses of shared memory in a cluster: mapa, getctarank and isspacep.
#include <algorithm>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

std::uint32_t own_rank(const Executor& x)
{
    return x.cluster.empty() ? 0 : cluster_place(x.launch, x.block->index).rank;
}

// The address relative to the shared window. Throws the fault of a generic address elsewhere.
template <bool Generic>
Address in_window(const Executor& x, const Instruction& in, int lane, Address address)
{
    if constexpr (!Generic) return address;
    if (space_of(address) != ptx::Space::shared)
        x.fault(in, "bad_address", lane, address,
                fmt::format("looks for {:#x} in the shared memory of its cluster, but it is not an "
                            "address of shared memory",
                            address));
    return address - shared_window;
}

// T: type of the addresses.
template <class T, bool Generic>
Flow map_address(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const T* const addresses = x.row<const T>(in.a);
    const auto* const ranks = x.row<const std::uint32_t>(in.b);
    T* const mapped = x.row<T>(in.d);
    const std::size_t blocks = std::max<std::size_t>(x.cluster.size(), 1);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        if (ranks[lane] >= blocks)
            x.fault(in, "bad_address", lane, addresses[lane],
                    fmt::format("asks for the shared memory of rank {} in its cluster, which has "
                                "{}: ranks count from 0",
                                ranks[lane],
                                blocks == 1 ? "1 block" : fmt::format("{} blocks", blocks)));
        const Address offset = in_window<Generic>(x, in, lane, addresses[lane]);
        mapped[lane] =
            static_cast<T>(cluster_address(ranks[lane], offset) + (Generic ? shared_window : 0));
    }
    return Flow::next;
}

template <class T, bool Generic>
Flow find_rank(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const T* const addresses = x.row<const T>(in.a);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const Address address = in_window<Generic>(x, in, lane, addresses[lane]);
        x.row<std::uint32_t>(in.d)[lane] = names_rank(address) ? rank_of(address) : own_rank(x);
    }
    return Flow::next;
}

// `Cluster`: the window of the whole cluster, otherwise that of the block itself.
template <bool Cluster>
Flow test_shared(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto* const addresses = x.row<const std::uint64_t>(in.a);
    std::uint32_t inside = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (space_of(addresses[lane]) != ptx::Space::shared) continue;
        const Address address = addresses[lane] - shared_window;
        if (Cluster || !names_rank(address) || rank_of(address) == own_rank(x))
            inside |= 1u << lane;
    }
    auto& predicate = *x.row<std::uint32_t>(in.d);
    predicate = (predicate & ~mask) | inside;
    return Flow::next;
}

template <class T, bool Generic>
Handlers handlers_of(ptx::Op op)
{
    return op == ptx::Op::mapa ? same<map_address<T, Generic>>() : same<find_rank<T, Generic>>();
}

} // namespace

Handlers cluster_address_handlers(const ptx::Instruction& in)
{
    const bool generic = !in.has(ptx::Word::shared_cluster);
    if (in.op == ptx::Op::isspacep)
        return generic ? same<test_shared<false>>() : same<test_shared<true>>();
    const bool wide = ptx::size_bytes(in.modifiers.type()) == 8;
    if (generic)
        return wide ? handlers_of<std::uint64_t, true>(in.op)
                    : handlers_of<std::uint32_t, true>(in.op);
    return wide ? handlers_of<std::uint64_t, false>(in.op)
                : handlers_of<std::uint32_t, false>(in.op);
}

} // namespace lanescope::simt
