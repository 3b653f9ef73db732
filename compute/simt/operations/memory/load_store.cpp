// ld and st in every space and width.
#include <algorithm>
#include <cstring>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

// Integer arithmetic, because `from` may be a host address minus the lanes' own addresses.
const std::byte* plus(const std::byte* from, std::uint64_t offset)
{
    return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(from) + offset);
}

// Loads for 32 contiguous lanes.
void move_strided(Executor& x, const Access& access, const std::byte* from)
{
    if (access.mover.words && access.elements == 1) {
        x.launch.addresses.load_row(from, x.row<std::uint32_t>(access.values[0]));
        return;
    }
    for (int i = 0; i < access.elements; ++i)
        access.mover.load_strided(from + i * access.element_bytes, access.width_bytes,
                                  x.row<void>(access.values[i]));
}

// Loads from base + the group's addresses.
void move_group(Executor& x, const Access& access, std::uint32_t mask, const AddressGroup& group,
                const std::byte* base)
{
    if (group.at.contiguous) {
        move_strided(x, access, plus(base, group.at.lane[0]));
        return;
    }
    for (int i = 0; i < access.elements; ++i) {
        const std::byte* from = plus(base, static_cast<std::uint64_t>(i) * access.element_bytes);
        if (group.octets_known && access.mover.words)
            x.launch.addresses.load_words(from, group.at, group.octets,
                                          x.row<std::uint32_t>(access.values[i]));
        else
            access.mover.load_lanes(from, group.at.lane.data(), mask,
                                    x.row<void>(access.values[i]));
    }
}

template <bool Observed>
bool load_batched(Executor& x, const Instruction& in, const Access& access, std::uint32_t mask)
{
    const bool first = (access.batch & joins) == 0;
    if (first) begin_batch(x, access, mask);
    const AddressGroup& group = x.groups[access.group & ~joins];
    if (!batch_in_bounds(x, group)) return false;
    const std::uint64_t shift = static_cast<std::uint64_t>(access.offset) - group.offset;
    if constexpr (Observed) {
        if (!x.whole_batches)
            observe_group(x, in, access, mask,
                          {&x.groups[access.group & ~joins], shift, group.base, group.allocation});
        else if (first)
            observe_batch(x, access, mask);
    }
    const std::byte* from = plus(group.base, shift);
    if (group.octets_known && access.mover.words && access.elements == 1)
        x.launch.addresses.load_words(from, group.at, group.octets,
                                      x.row<std::uint32_t>(access.values[0]));
    else
        move_group(x, access, mask, group, from);
    return true;
}

template <bool Observed>
bool load_group(Executor& x, const Instruction& in, const Access& access, std::uint32_t mask)
{
    GroupReach found;
    if (!reach_group(x, access, mask, found)) return false;
    if constexpr (Observed) observe_group(x, in, access, mask, found);
    AddressGroup& group = *found.group;
    if (mask == full_mask && access.mover.words && !group.at.contiguous)
        ensure_octets(group, x.launch.addresses);
    move_group(x, access, mask, group, found.shifted());
    return true;
}

template <bool Observed>
void load_general(Executor& x, const Instruction& in, const Access& access, std::uint32_t active)
{
    Addresses at;
    form_addresses(x, access, active, at);
    for_each_space(x, in, access, at, active,
                   [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
                       const Reach found = reach(x, in, access, space, lanes, mask);
                       if constexpr (Observed) observe(x, in, access, space, lanes, mask, found);
                       if (found.contiguous) {
                           move_strided(x, access, found.first());
                           return;
                       }
                       for (int i = 0; i < access.elements; ++i)
                           access.mover.load_lanes(
                               reinterpret_cast<const std::byte*>(
                                   reinterpret_cast<std::uintptr_t>(found.base) +
                                   static_cast<std::uintptr_t>(i * access.element_bytes)),
                               found.offsets, mask, x.row<void>(access.values[i]));
                   });
}

template <bool Observed>
Flow load(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    if (access.batch != no_index && load_batched<Observed>(x, in, access, active))
        return Flow::next;
    x.warp->slice_spins += access.synchronising;
    if (access.group != no_index && load_group<Observed>(x, in, access, active)) return Flow::next;
    load_general<Observed>(x, in, access, active);
    return Flow::next;
}

template <bool Observed>
bool store_group(Executor& x, const Instruction& in, const Access& access, std::uint32_t mask)
{
    GroupReach found;
    if (!reach_group(x, access, mask, found)) return false;
    if constexpr (Observed) observe_group(x, in, access, mask, found);
    const Addresses& at = found.group->at;
    for (int i = 0; i < access.elements; ++i) {
        const auto skipped = static_cast<std::uint64_t>(i) * access.element_bytes;
        if (at.contiguous)
            access.mover.store_strided(found.first() + skipped, access.width_bytes,
                                       x.row<const void>(access.values[i]));
        else
            access.mover.store_lanes(const_cast<std::byte*>(plus(found.shifted(), skipped)),
                                     at.lane.data(), mask, x.row<const void>(access.values[i]));
    }
    return true;
}

template <bool Observed>
Flow store(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    if (access.group != no_index && store_group<Observed>(x, in, access, active)) return Flow::next;
    Addresses at;
    form_addresses(x, access, active, at);
    for_each_space(
        x, in, access, at, active,
        [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
            if (space == ptx::Space::constant || space == ptx::Space::param)
                throw_read_only(x, in, access, space, lowest_lane(mask),
                                lanes.lane[lowest_lane(mask)]);
            const Reach found = reach(x, in, access, space, lanes, mask);
            if constexpr (Observed) observe(x, in, access, space, lanes, mask, found);
            if (found.contiguous) {
                std::byte* to = found.first();
                for (int i = 0; i < access.elements; ++i)
                    access.mover.store_strided(to + i * access.element_bytes, access.width_bytes,
                                               x.row<const void>(access.values[i]));
                return;
            }
            for (int i = 0; i < access.elements; ++i)
                access.mover.store_lanes(reinterpret_cast<std::byte*>(
                                             reinterpret_cast<std::uintptr_t>(found.base) +
                                             static_cast<std::uintptr_t>(i * access.element_bytes)),
                                         found.offsets, mask, x.row<const void>(access.values[i]));
        });
    return Flow::next;
}

// The frame's parameter area: `stride` bytes per lane, after the registers.
std::byte* parameter_area(Executor& x, const Access& access)
{
    return x.warp->rows.data() + x.frame->rows_begin + x.function->row_bytes + access.offset;
}

struct AreaOffsets {
    explicit AreaOffsets(std::uint32_t stride)
    {
        for (std::uint64_t lane = 0; lane < warp_lanes; ++lane) of[lane] = lane * stride;
    }
    std::array<std::uint64_t, warp_lanes> of;
};

Flow load_param(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Access& access = x.function->accesses[in.extra];
    const std::byte* area = parameter_area(x, access);
    const AreaOffsets offsets(x.function->param_stride);
    for (int i = 0; i < access.elements; ++i)
        access.mover.load_lanes(area + i * access.element_bytes, offsets.of.data(), mask,
                                x.row<void>(access.values[i]));
    return Flow::next;
}

Flow store_param(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Access& access = x.function->accesses[in.extra];
    std::byte* area = parameter_area(x, access);
    const AreaOffsets offsets(x.function->param_stride);
    for (int i = 0; i < access.elements; ++i)
        access.mover.store_lanes(area + i * access.element_bytes, offsets.of.data(), mask,
                                 x.row<const void>(access.values[i]));
    return Flow::next;
}

Flow local_address(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Access& access = x.function->accesses[in.extra];
    const std::uint64_t address = static_cast<std::uint64_t>(access.offset) + x.frame->local_begin;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (access.width_bytes == 8)
            x.row<std::uint64_t>(in.d)[lane] = address;
        else
            x.row<std::uint32_t>(in.d)[lane] = static_cast<std::uint32_t>(address);
    }
    return Flow::next;
}

Flow nothing(Executor&, const Instruction&, std::uint32_t)
{
    return Flow::next;
}

Flow fence(Executor& x, const Instruction& in, std::uint32_t)
{
    for (Observer* observer : x.observers) observer->fence(x, in);
    if (x.launch.parallel) std::atomic_thread_fence(std::memory_order_seq_cst);
    return Flow::next;
}

Flow far_offset(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Access& access = x.function->accesses[in.extra];
    Addresses at;
    form_addresses(x, access, mask, at);
    const int lane = lowest_lane(mask);
    throw_far_offset(x, in, access, lane, at.lane[static_cast<std::size_t>(lane)]);
}

} // namespace

Handlers load_handlers()
{
    return {{load<false>, load<true>}, HandlerKind::load};
}
Handlers store_handlers()
{
    return {{store<false>, store<true>}, HandlerKind::store};
}
Handlers local_address_handlers()
{
    return same<local_address>();
}
Handlers load_param_handlers()
{
    return same<load_param>();
}
Handlers store_param_handlers()
{
    return same<store_param>();
}
Handlers nothing_handlers()
{
    return same<nothing>();
}
Handlers fence_handlers()
{
    return same<fence>();
}

Handlers far_offset_handlers()
{
    return same<far_offset>();
}

} // namespace lanescope::simt
