// The usual access is one of 32 neighbours in the buffer that the instruction touched last: that case is recognised
// with a few vector instructions, everything else lane by lane.
#include "compute/simt/addressing.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/faults.h"

namespace lanescope::simt {

namespace {

struct Steps {
    alignas(64) std::array<std::array<std::uint64_t, warp_lanes>, 6> of{}; // [log2 width][lane]
    constexpr Steps()
    {
        for (std::size_t shift = 0; shift < of.size(); ++shift)
            for (std::uint64_t lane = 0; lane < warp_lanes; ++lane) of[shift][lane] = lane << shift;
    }
};
constexpr Steps steps;

void find_span(Addresses& at, std::uint32_t mask, std::uint64_t width)
{
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    if (mask == full_mask) {
        for (int lane = 0; lane < warp_lanes; ++lane) {
            low = std::min(low, at.lane[lane]);
            high = std::max(high, at.lane[lane]);
        }
    } else {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = at.lane[lowest_lane(rest)];
            low = std::min(low, address);
            high = std::max(high, address);
        }
    }
    at.low = low;
    at.high = high + width;
}

void find_pattern(Addresses& at, std::uint32_t mask, int width)
{
    if (mask == full_mask) {
        const auto& step = steps.of[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(width)))];
        const std::uint64_t first = at.lane[0];
        std::uint64_t differences = 0;
        for (int lane = 0; lane < warp_lanes; ++lane) differences |= at.lane[lane] ^ (first + step[lane]);
        at.strided = differences == 0;
        if (at.strided) {
            at.low = first;
            at.high = first + static_cast<std::uint64_t>(warp_lanes * width);
            return;
        }
    } else {
        at.strided = false;
    }
    find_span(at, mask, static_cast<std::uint64_t>(width));
}

[[noreturn]] void fault_outside(Executor& x, const Instruction& in, const Access& access, ptx::Space space, int lane,
                                std::uint64_t address)
{
    const Extent extent = space_extent(x, space);
    throw_out_of_bounds(x, in, access, space, lane, address, extent);
}

void check_bounds(Executor& x, const Instruction& in, const Access& access, ptx::Space space, const Addresses& at,
                  std::uint32_t mask, std::uint64_t end)
{
    if (at.high <= end && at.low <= at.high) return;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (at.lane[lane] > end || end - at.lane[lane] < access.width_bytes)
            fault_outside(x, in, access, space, lane, at.lane[lane]);
    }
}

// Lanes in several allocations, or outside all: their host addresses one by one.
Reach reach_lanes(Executor& x, const Instruction& in, const Access& access, const Addresses& at, std::uint32_t mask)
{
    const Allocation* common = nullptr;
    bool mixed = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const Allocation* allocation = x.launch.memory.find(at.lane[lane]);
        if (allocation == nullptr || allocation->end - at.lane[lane] < access.width_bytes)
            fault_outside(x, in, access, ptx::Space::global, lane, at.lane[lane]);
        x.scratch_offsets[lane] =
            reinterpret_cast<std::uintptr_t>(allocation->host) + (at.lane[lane] - allocation->begin);
        mixed = mixed || (common != nullptr && common != allocation);
        common = allocation;
    }
    return {nullptr, x.scratch_offsets.data(), false, mixed ? nullptr : common};
}

Reach reach_global(Executor& x, const Instruction& in, const Access& access, const Addresses& at, std::uint32_t mask)
{
    Region& hit = x.hits[access.cache];
    if (at.low < hit.begin || at.high > hit.end || at.low > at.high) {
        const Allocation* allocation = x.launch.memory.find(at.low);
        if (allocation == nullptr || at.high > allocation->end || at.low > at.high)
            return reach_lanes(x, in, access, at, mask);
        hit = {allocation->begin, allocation->end, reinterpret_cast<std::uintptr_t>(allocation->host), allocation};
    }
    return {reinterpret_cast<std::byte*>(hit.host - hit.begin), at.lane.data(), at.strided, hit.allocation};
}

Reach reach_local(Executor& x, const Instruction& in, const Access& access, const Addresses& at, std::uint32_t mask)
{
    check_bounds(x, in, access, ptx::Space::local, at, mask, space_extent(x, ptx::Space::local).end);
    for (int lane = 0; lane < warp_lanes; ++lane)
        x.scratch_offsets[lane] = at.lane[lane] + static_cast<std::uint64_t>(lane) * x.warp->local_stride;
    return {x.warp->local.data(), x.scratch_offsets.data(), false, nullptr};
}

} // namespace

void form_addresses(Executor& x, const Access& access, std::uint32_t mask, Addresses& at)
{
    const auto offset = static_cast<std::uint64_t>(access.offset);
    switch (access.kind) {
    case AddressKind::row64: {
        const auto* row = x.row<const std::uint64_t>(access.address);
        for (int lane = 0; lane < warp_lanes; ++lane) at.lane[lane] = row[lane] + offset;
        break;
    }
    case AddressKind::row32: {
        const auto* row = x.row<const std::uint32_t>(access.address);
        const auto narrow = static_cast<std::uint32_t>(offset);
        for (int lane = 0; lane < warp_lanes; ++lane) at.lane[lane] = row[lane] + narrow;
        break;
    }
    case AddressKind::frame_local:
        at.lane.fill(offset + x.frame->local_begin);
        break;
    default:
        at.lane.fill(offset);
        break;
    }
    find_pattern(at, mask, access.width_bytes);
}

void observe(Executor& x, const Instruction& in, const Access& access, ptx::Space space, const Addresses& at,
             std::uint32_t mask, const Reach& reached)
{
    const std::uint64_t step = x.warp->warp_instructions + x.slice_steps;
    const bool first = x.observed_access != &in || x.observed_step != step || access.space != ptx::Space::none;
    x.observed_access = &in;
    x.observed_step = step;
    const AccessEvent event{in,      space,   access.op,  access.width_bytes, at.lane.data(),    mask,
                            at.low,  at.high, at.strided, first,              reached.allocation};
    for (Observer* observer : x.observers) observer->access(x, event);
}

std::uint32_t take_space(Addresses& at, std::uint32_t mask, int width_bytes, ptx::Space& space)
{
    space = space_of(at.lane[lowest_lane(mask)]);
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (space_of(at.lane[lane]) == space) same |= 1u << lane;
    }
    const Address base = window(space);
    for (std::uint32_t rest = same; rest != 0; rest &= rest - 1) at.lane[lowest_lane(rest)] -= base;
    find_pattern(at, same, width_bytes);
    return same;
}

Reach reach(Executor& x, const Instruction& in, const Access& access, ptx::Space space, const Addresses& at,
            std::uint32_t mask)
{
    const auto misaligned = static_cast<std::uint64_t>(access.width_bytes) - 1;
    std::uint64_t low_bits = 0;
    if (at.strided) low_bits = at.low;
    else
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) low_bits |= at.lane[lowest_lane(rest)];
    if ((low_bits & misaligned) != 0)
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            if (const int lane = lowest_lane(rest); (at.lane[lane] & misaligned) != 0)
                throw_misaligned(x, in, access, space, lane, at.lane[lane]);

    switch (space) {
    case ptx::Space::global: return reach_global(x, in, access, at, mask);
    case ptx::Space::local: return reach_local(x, in, access, at, mask);
    default: {
        const Extent extent = space_extent(x, space);
        check_bounds(x, in, access, space, at, mask, extent.end);
        return {extent.host, at.lane.data(), at.strided, nullptr};
    }
    }
}

} // namespace lanescope::simt
