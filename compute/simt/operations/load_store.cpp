// ld and st in every space and width.
#include <algorithm>
#include <cstring>

#include "compute/simt/checks/faults.h"
#include "compute/simt/operations/addressing.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// `from` may be a host address less the lanes' own addresses, so sums are made of integers.
const std::byte* plus(const std::byte* from, std::uint64_t offset)
{
    return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(from) + offset);
}

// Words of all lanes, eight by eight; many accesses are neighbours or one word for all in each
// eight.
void load_words(const std::byte* from, const AddressGroup& group, std::uint32_t* row)
{
    const std::uint64_t* lanes = group.at.lane.data();
    for (std::size_t octet = 0; octet < 4; ++octet, lanes += 8, row += 8) {
        if (group.octets[octet] == Octet::neighbours) {
            std::memcpy(row, plus(from, lanes[0]), 32);
        } else if (group.octets[octet] == Octet::same) {
            std::uint32_t value;
            std::memcpy(&value, plus(from, lanes[0]), sizeof value);
            std::fill_n(row, 8, value);
        } else {
            for (int i = 0; i < 8; ++i) std::memcpy(&row[i], plus(from, lanes[i]), sizeof *row);
        }
    }
}

template <bool Observed>
bool load_group(Executor& x, const Instruction& in, const Access& access, std::uint32_t mask)
{
    GroupReach found;
    if (!reach_group(x, access, mask, found)) return false;
    if constexpr (Observed) observe_group(x, in, access, mask, found);
    AddressGroup& group = *found.group;
    if (group.at.strided) {
        const std::byte* from = found.first();
        for (int i = 0; i < access.elements; ++i)
            access.mover.load_strided(from + i * access.element_bytes, access.width_bytes,
                                      x.row<void>(access.values[i]));
        return true;
    }
    if (access.mover.words && mask == full_mask && !group.octets_known) {
        group.octets = octets_of(group.at);
        group.octets_known = true;
    }
    const std::byte* from = found.shifted();
    for (int i = 0; i < access.elements; ++i) {
        const std::byte* element = plus(from, static_cast<std::uint64_t>(i) * access.element_bytes);
        if (group.octets_known && access.mover.words)
            load_words(element, group, x.row<std::uint32_t>(access.values[i]));
        else
            access.mover.load_lanes(element, group.at.lane.data(), mask,
                                    x.row<void>(access.values[i]));
    }
    return true;
}

template <bool Observed>
Flow load(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    x.warp->slice_spins += access.synchronising;
    if (access.group != no_index && load_group<Observed>(x, in, access, active)) return Flow::next;
    Addresses at;
    form_addresses(x, access, active, at);
    for_each_space(
        x, access, at, active, [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
            const Reach found = reach(x, in, access, space, lanes, mask);
            if constexpr (Observed) observe(x, in, access, space, lanes, mask, found);
            if (found.strided) {
                const std::byte* from = found.first();
                for (int i = 0; i < access.elements; ++i)
                    access.mover.load_strided(from + i * access.element_bytes, access.width_bytes,
                                              x.row<void>(access.values[i]));
                return;
            }
            for (int i = 0; i < access.elements; ++i)
                access.mover.load_lanes(reinterpret_cast<const std::byte*>(
                                            reinterpret_cast<std::uintptr_t>(found.base) +
                                            static_cast<std::uintptr_t>(i * access.element_bytes)),
                                        found.offsets, mask, x.row<void>(access.values[i]));
        });
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
        if (at.strided)
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
        x, access, at, active, [&](ptx::Space space, const Addresses& lanes, std::uint32_t mask) {
            if (space == ptx::Space::constant || space == ptx::Space::param)
                throw_read_only(x, in, access, space, lowest_lane(mask),
                                lanes.lane[lowest_lane(mask)]);
            const Reach found = reach(x, in, access, space, lanes, mask);
            if constexpr (Observed) observe(x, in, access, space, lanes, mask, found);
            if (found.strided) {
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

// The parameter area of the frame: `stride` bytes a lane behind the registers.
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

} // namespace

Handlers load_handlers()
{
    return {load<false>, load<true>};
}
Handlers store_handlers()
{
    return {store<false>, store<true>};
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

} // namespace lanescope::simt
