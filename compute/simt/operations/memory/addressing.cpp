// Most accesses are 32 contiguous lanes in the buffer that the instruction accessed last. A few
// vector instructions recognise this case; all others are handled lane by lane.
#include "compute/simt/operations/memory/addressing.h"

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/cluster.h"

namespace lanescope::simt {

namespace {

[[noreturn]] void fault_outside(Executor& x, const Instruction& in, const Access& access,
                                ptx::Space space, int lane, std::uint64_t address)
{
    const Extent extent = space_extent(x, space);
    throw_out_of_bounds(x, in, access, space, lane, address, extent);
}

void check_bounds(Executor& x, const Instruction& in, const Access& access, ptx::Space space,
                  const Addresses& at, std::uint32_t mask, std::uint64_t end)
{
    if (at.high <= end && at.low <= at.high) return;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (at.lane[lane] > end || end - at.lane[lane] < access.width_bytes)
            fault_outside(x, in, access, space, lane, at.lane[lane]);
    }
}

// Lanes in several allocations, or out of bounds: resolves the host address of each lane.
Reach reach_lanes(Executor& x, const Instruction& in, const Access& access, const Addresses& at,
                  std::uint32_t mask)
{
    const Allocation* common = nullptr;
    bool mixed = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const Allocation* allocation = x.launch.memory.find(at.lane[lane]);
        if (allocation == nullptr || allocation->end - at.lane[lane] < access.width_bytes)
            fault_outside(x, in, access, ptx::Space::global, lane, at.lane[lane]);
        x.scratch_offsets[lane] = reinterpret_cast<std::uintptr_t>(allocation->host) +
                                  (at.lane[lane] - allocation->begin);
        mixed = mixed || (common != nullptr && common != allocation);
        common = allocation;
    }
    return {nullptr, x.scratch_offsets.data(), false, mixed ? nullptr : common};
}

Reach reach_global(Executor& x, const Instruction& in, const Access& access, const Addresses& at,
                   std::uint32_t mask)
{
    Region& hit = x.hits[access.cache];
    if (at.low < hit.begin || at.high > hit.end || at.low > at.high) {
        const Allocation* allocation = x.launch.memory.find(at.low);
        if (allocation == nullptr || at.high > allocation->end || at.low > at.high)
            return reach_lanes(x, in, access, at, mask);
        hit = {allocation->begin, allocation->end,
               reinterpret_cast<std::uintptr_t>(allocation->host), allocation};
    }
    return {reinterpret_cast<std::byte*>(hit.host - hit.begin), at.lane.data(), at.contiguous,
            hit.allocation};
}

Reach reach_local(Executor& x, const Instruction& in, const Access& access, const Addresses& at,
                  std::uint32_t mask)
{
    check_bounds(x, in, access, ptx::Space::local, at, mask,
                 space_extent(x, ptx::Space::local).end);
    for (int lane = 0; lane < warp_lanes; ++lane)
        x.scratch_offsets[lane] =
            at.lane[lane] + static_cast<std::uint64_t>(lane) * x.warp->local_stride;
    return {x.warp->local.data(), x.scratch_offsets.data(), false, nullptr};
}

} // namespace

void form_addresses(Executor& x, const Access& access, std::uint32_t mask, Addresses& at)
{
    const auto offset = static_cast<std::uint64_t>(access.offset);
    const std::uint32_t width = access.width_bytes;
    switch (access.kind) {
    case AddressKind::row64:
        x.launch.addresses.from64(x.row<const std::uint64_t>(access.address), offset, mask, width,
                                  at);
        return;
    case AddressKind::row32:
        x.launch.addresses.from32(x.row<const std::uint32_t>(access.address),
                                  static_cast<std::uint32_t>(offset), mask, width, at);
        return;
    default: break;
    }
    const std::uint64_t address =
        offset + (access.kind == AddressKind::frame_local ? x.frame->local_begin : 0);
    at.lane.fill(address);
    at.low = at.all_bits = address;
    at.high = address + width;
    at.contiguous = false;
}

void observe(Executor& x, const Instruction& in, const Access& access, ptx::Space space,
             const Addresses& at, std::uint32_t mask, const Reach& reached)
{
    const std::uint64_t step = x.warp->warp_instructions + x.slice_steps;
    // Warps run one after another, and each may get here at the same per-warp step count.
    const std::uint64_t warp = (x.block->linear << 6) + static_cast<std::uint64_t>(x.warp->index);
    const bool first = x.observed_access != &in || x.observed_step != step ||
                       x.observed_warp != warp || access.space != ptx::Space::none;
    x.observed_access = &in;
    x.observed_step = step;
    x.observed_warp = warp;
    const AccessEvent event{
        in,     access,  space,         access.op, access.width_bytes, at.lane.data(), 0,      mask,
        at.low, at.high, at.contiguous, first,     reached.allocation, reached.base,   nullptr};
    for (Observer* observer : x.observers) observer->access(x, event);
}

namespace {

// Sums of distances below this can't wrap around; no memory is this large.
constexpr std::uint64_t max_distance = std::uint64_t{1} << 47;

// True if the lanes' bytes are so close together that `high - low` remains their extent when all
// lanes move by the same distance, even if addresses wrap around.
bool are_near(const Addresses& at, std::uint64_t width)
{
    return at.high - width - at.low < max_distance;
}

// True if `span` bytes from `low` are inside [begin, end). Avoids sums, which could wrap around.
bool is_within(std::uint64_t low, std::uint64_t span, std::uint64_t begin, std::uint64_t end)
{
    return low >= begin && low <= end && span <= end - low;
}

// Returns true if all lanes have moved by the same distance since the group was formed, perhaps by
// another warp. Cached properties of the group are then still valid.
bool has_moved(const Executor& x, const Access& access, std::uint32_t mask, AddressGroup& group)
{
    if (mask != full_mask || group.mask != full_mask || group.entered == 0 ||
        group.width != access.width_bytes)
        return false;
    const auto offset = static_cast<std::uint64_t>(access.offset);
    std::uint64_t by = 0;
    const bool moved =
        access.kind == AddressKind::row64
            ? x.launch.addresses.moved64(x.row<const std::uint64_t>(access.address), offset,
                                         group.at, by)
            : x.launch.addresses.moved32(x.row<const std::uint32_t>(access.address),
                                         static_cast<std::uint32_t>(offset), group.at, by);
    if (!moved) return false;
    group.offset = offset - by;
    group.entered = x.entered;
    return true;
}

} // namespace

bool reach_group(Executor& x, const Access& access, std::uint32_t mask, GroupReach& found)
{
    // `joins` marks accesses after the first one in the basic block; the first one re-forms the
    // addresses in each iteration of a loop.
    const bool leads = (access.group & joins) == 0;
    AddressGroup& group = x.groups[access.group & ~joins];
    const auto offset = static_cast<std::uint64_t>(access.offset);
    if ((leads || group.entered != x.entered || group.mask != mask) &&
        !has_moved(x, access, mask, group)) {
        form_addresses(x, access, mask, group.at);
        if ((group.at.all_bits & (access.width_bytes - 1u)) != 0 ||
            !are_near(group.at, access.width_bytes)) {
            group.entered = 0;
            return false;
        }
        group.entered = x.entered;
        group.offset = offset;
        group.mask = mask;
        group.width = access.width_bytes;
        group.octets_known = group.runs_known = group.wavefronts_known = false;
        group.costs_known = 0;
    }
    const std::uint64_t shift = offset - group.offset;
    const std::uint64_t low = group.at.low + shift;
    const std::uint64_t span = group.at.high - group.at.low;
    if ((shift & (access.width_bytes - 1u)) != 0) return false;
    found.group = &group;
    found.shift = shift;
    if (access.space == ptx::Space::shared) {
        if (!is_within(low, span, 0, x.launch.shared_bytes)) return false;
        found.base = x.block->shared.data();
        found.allocation = nullptr;
        return true;
    }
    const Region& hit = x.hits[access.cache];
    if (!is_within(low, span, hit.begin, hit.end)) return false;
    found.base = reinterpret_cast<std::byte*>(hit.host - hit.begin);
    found.allocation = hit.allocation;
    return true;
}

void begin_batch(Executor& x, const Access& access, std::uint32_t mask)
{
    AddressGroup& group = x.groups[access.group & ~joins];
    group.batch_entered = 0;
    GroupReach first;
    if (!reach_group(x, access, mask, first)) return;
    const LoadBatch& batch = x.function->batches[access.batch];
    const auto front = static_cast<std::uint64_t>(batch.offsets.front());
    const std::uint64_t apart = static_cast<std::uint64_t>(batch.offsets.back()) - front;
    const std::uint64_t low = group.at.low - group.offset + front;
    const std::uint64_t span = group.at.high - group.at.low + apart;
    if (apart >= max_distance) return;
    if (access.space == ptx::Space::shared) {
        if (!is_within(low, span, 0, x.launch.shared_bytes)) return;
    } else {
        const Region& hit = x.hits[access.cache];
        if (!is_within(low, span, hit.begin, hit.end)) return;
    }
    group.base = first.base;
    group.allocation = first.allocation;
    group.batch_entered = x.entered;
    if (mask == full_mask && access.mover.words && !group.at.contiguous)
        ensure_octets(group, x.launch.addresses);
}

void observe_batch(Executor& x, const Access& access, std::uint32_t mask)
{
    const BatchEvent event{*x.function, x.function->batches[access.batch], access.space, mask,
                           x.groups[access.group & ~joins]};
    for (Observer* observer : x.observers) observer->loads(x, event);
}

AccessEvent group_event(const Instruction& in, const Access& access, std::uint32_t mask,
                        const GroupReach& found)
{
    AddressGroup& group = *found.group;
    return {in,
            access,
            access.space,
            access.op,
            access.width_bytes,
            group.at.lane.data(),
            found.shift,
            mask,
            group.at.low + found.shift,
            group.at.high + found.shift,
            group.at.contiguous,
            true,
            found.allocation,
            found.base,
            &group};
}

void observe_group(Executor& x, const Instruction& in, const Access& access, std::uint32_t mask,
                   const GroupReach& found)
{
    const AccessEvent event = group_event(in, access, mask, found);
    for (Observer* observer : x.observers) observer->access(x, event);
}

std::uint32_t resolve_lowest_lane_space(const Executor& x, Addresses& at, std::uint32_t mask,
                                        int width_bytes, ptx::Space& space)
{
    space = space_of(at.lane[lowest_lane(mask)]);
    const Address base = window(space);
    if (space_of(at.low) == space && space_of(at.high - 1) == space && at.low < at.high) {
        if (base != 0)
            x.launch.addresses.from64(at.lane.data(), 0 - base, mask,
                                      static_cast<std::uint32_t>(width_bytes), at);
        return mask;
    }
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (space_of(at.lane[lane]) == space) same |= 1u << lane;
    }
    x.launch.addresses.from64(at.lane.data(), 0 - base, same,
                              static_cast<std::uint32_t>(width_bytes), at);
    return same;
}

std::uint32_t resolve_lowest_lane_block(Executor& x, const Instruction& in, Addresses& at,
                                        std::uint32_t mask, int width_bytes)
{
    alignas(64) std::array<std::uint64_t, warp_lanes> offsets{};
    std::uint32_t same = 0;
    Block* first = nullptr;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const SharedPlace place = resolve_shared(x, in, lane, at.lane[lane]);
        if (first == nullptr) first = place.block;
        if (place.block != first) continue;
        offsets[static_cast<std::size_t>(lane)] = place.offset;
        same |= 1u << lane;
    }
    x.remote = first;
    x.launch.addresses.from64(offsets.data(), 0, same, static_cast<std::uint32_t>(width_bytes), at);
    return same;
}

Reach reach(Executor& x, const Instruction& in, const Access& access, ptx::Space space,
            const Addresses& at, std::uint32_t mask)
{
    const auto misaligned = static_cast<std::uint64_t>(access.width_bytes) - 1;
    if ((at.all_bits & misaligned) != 0)
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            if (const int lane = lowest_lane(rest); (at.lane[lane] & misaligned) != 0)
                throw_misaligned(x, in, access, space, lane, at.lane[lane]);

    switch (space) {
    case ptx::Space::global: return reach_global(x, in, access, at, mask);
    case ptx::Space::local: return reach_local(x, in, access, at, mask);
    default: {
        const Extent extent = space_extent(x, space);
        check_bounds(x, in, access, space, at, mask, extent.end);
        return {extent.host, at.lane.data(), at.contiguous, nullptr};
    }
    }
}

} // namespace lanescope::simt
