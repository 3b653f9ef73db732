// ld and st in every space and width.
#include "compute/simt/checks/faults.h"
#include "compute/simt/operations/addressing.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

template <bool Observed>
Flow load(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
    Addresses at;
    form_addresses(x, access, active, at);
    x.warp->slice_spins += access.synchronising;
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
Flow store(Executor& x, const Instruction& in, std::uint32_t active)
{
    const Access& access = x.function->accesses[in.extra];
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

Flow fence(Executor& x, const Instruction&, std::uint32_t)
{
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
