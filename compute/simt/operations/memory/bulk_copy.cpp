// Starts bulk copies: checks their operands lane by lane. bulk_transfers.cpp performs them.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"
#include "compute/simt/operations/memory/bulk_starts.h"
#include "compute/simt/operations/memory/bulk_transfers.h"

namespace lanescope::simt {

void check_multiple(const BulkStart& at, std::uint64_t value, std::uint64_t unit, Address address,
                    std::string_view name)
{
    if (value % unit == 0) return;
    at.x.fault(at.in, "misaligned", at.lane, address,
               fmt::format("starts a bulk copy whose {} is {:#x}, which is not a multiple of {}",
                           name, value, unit));
}

namespace {

[[noreturn]] void refuse_other_blocks(const BulkStart& at)
{
    throw device::LaunchError(
        fmt::format("The lockstep machine cannot run kernel {}: the bulk copy at {} goes to shared "
                    "memory of another block of its cluster.",
                    at.x.launch.program.kernel,
                    place_text(*at.x.launch.program.module, at.x.source(at.in))),
        "Let each block copy to its own memory, or run this kernel on a GPU.");
}

// Offset in the block's own shared memory.
std::uint64_t own_offset(const BulkStart& at, std::uint64_t address)
{
    const SharedPlace place = resolve_shared(at.x, at.in, at.lane, address);
    if (place.block != at.x.block) refuse_other_blocks(at);
    return place.offset;
}

} // namespace

std::uint32_t shared_range(const BulkStart& at, trace::Op op, std::uint64_t address,
                           std::uint64_t bytes, std::uint64_t unit)
{
    address = own_offset(at, address);
    check_multiple(at, address, unit, shared_window + address, "address in shared memory");
    const Extent extent = space_extent(at.x, ptx::Space::shared);
    if (address > extent.end || extent.end - address < bytes)
        throw_span_out_of_bounds(at.x, at.in, op, ptx::Space::shared, at.lane, address, bytes,
                                 extent);
    return static_cast<std::uint32_t>(address);
}

Address global_range(const BulkStart& at, trace::Op op, Address address, std::uint64_t bytes)
{
    check_multiple(at, address, bulk_unit_bytes, address, "address in global memory");
    const Allocation* const found = at.x.launch.memory.find(address);
    if (found == nullptr || found->end - address < bytes)
        throw_span_out_of_bounds(at.x, at.in, op, ptx::Space::global, at.lane, address, bytes, {});
    return address;
}

void check_blocks(const BulkStart& at)
{
    if (at.work.blocks == no_row) return;
    const std::uint32_t blocks = at.x.row<const std::uint32_t>(at.work.blocks)[at.lane] & 0xffffu;
    const std::uint32_t own =
        at.x.cluster.empty() ? 0 : cluster_place(at.x.launch, at.x.block->index).rank;
    if (blocks == 1u << own) return;
    if (!at.x.cluster.empty()) refuse_other_blocks(at);
    at.x.fault(at.in, "bad_address", at.lane, 0,
               fmt::format("copies to the blocks {:#x} of its cluster, which has only block 0: "
                           "launch the kernel in clusters",
                           blocks));
}

void check_object(const BulkStart& at, const BulkCopy& copy)
{
    if (is_initialised_object(*at.x.block, copy.object)) return;
    at.x.fault(at.in, "barrier", at.lane, shared_window + copy.object,
               fmt::format("starts a bulk copy that completes on the mbarrier at {:#x}, which "
                           "mbarrier.init has not initialised",
                           copy.object));
}

BulkCopy new_copy(const BulkStart& at)
{
    BulkCopy copy;
    copy.warp = static_cast<std::uint8_t>(at.x.warp->index);
    copy.lane = static_cast<std::uint8_t>(at.lane);
    copy.function = at.x.function;
    copy.instruction = &at.in;
    copy.work = &at.work;
    copy.reduce = at.work.reduce;
    copy.element_bytes = at.work.element_bytes;
    return copy;
}

namespace {

// The lanes' addresses of the operands that an instruction has.
struct BulkPlaces {
    Addresses to, from, object;
};

BulkPlaces places_of(Executor& x, const BulkWork& work, std::uint32_t mask)
{
    BulkPlaces places;
    if (work.kind != BulkKind::prefetch) form_addresses(x, work.to, mask, places.to);
    if (work.kind != BulkKind::store_async && work.kind != BulkKind::reduce_async)
        form_addresses(x, work.from, mask, places.from);
    if (work.kind != BulkKind::store && work.kind != BulkKind::prefetch)
        form_addresses(x, work.object, mask, places.object);
    return places;
}

std::uint64_t size_of(const BulkStart& at)
{
    switch (at.work.kind) {
    case BulkKind::store_async:
    case BulkKind::reduce_async: return std::uint64_t{at.work.elements} * at.work.element_bytes;
    default: break;
    }
    const std::uint64_t bytes = at.x.row<const std::uint32_t>(at.work.size)[at.lane];
    check_multiple(at, bytes, bulk_unit_bytes, 0, "number of bytes");
    return bytes;
}

// Copies the values of st.async and red.async out of the registers.
void take_values(const BulkStart& at, BulkCopy& copy)
{
    const std::size_t element = at.work.element_bytes;
    const std::size_t lane_bytes = element == 8 ? 8 : 4;
    copy.data.resize(static_cast<std::size_t>(copy.bytes));
    for (std::size_t i = 0; i < at.work.elements; ++i) {
        const auto* row = at.x.row<const std::byte>(at.work.values[i]);
        std::memcpy(copy.data.data() + i * element,
                    row + static_cast<std::size_t>(at.lane) * lane_bytes, element);
    }
    copy.read = true;
}

// Writes to shared::cluster that come from shared memory or registers. An H200 ends a launch
// without clusters with an illegal instruction; in clusters of a single block it does not.
void require_clusters(const BulkStart& at)
{
    if (at.x.launch.explicit_cluster) return;
    at.x.fault(at.in, "illegal_instruction", at.lane, 0,
               "writes to shared memory of its cluster, but the kernel was launched without "
               "clusters: launch it in clusters, of one block if need be, or copy within the block "
               "with loads and stores");
}

void start(const BulkStart& at, const BulkPlaces& places)
{
    const auto lane = static_cast<std::size_t>(at.lane);
    const BulkWork& work = at.work;
    BulkCopy copy = new_copy(at);
    copy.bytes = size_of(at);
    BulkPiece piece;
    piece.bytes = static_cast<std::uint32_t>(copy.bytes);
    const auto shared = [&](const Access& access, const Addresses& from,
                            std::uint64_t unit = bulk_unit_bytes) {
        return shared_range(at, access.op, from.lane[lane], copy.bytes, unit);
    };
    const auto global = [&](const Access& access, const Addresses& from) {
        return global_range(at, access.op, from.lane[lane], copy.bytes);
    };
    switch (work.kind) {
    case BulkKind::load:
        check_blocks(at);
        copy.route = BulkRoute::to_shared;
        piece.shared = shared(work.to, places.to);
        piece.global = global(work.from, places.from);
        break;
    case BulkKind::store:
        copy.route = BulkRoute::to_global;
        piece.shared = shared(work.from, places.from);
        piece.global = global(work.to, places.to);
        if (!at.x.warp->bulk_groups.empty()) copy.group = at.x.warp->bulk_groups[lane];
        if (work.byte_mask != no_row)
            copy.byte_mask =
                static_cast<std::uint16_t>(at.x.row<const std::uint32_t>(work.byte_mask)[lane]);
        break;
    case BulkKind::within:
        require_clusters(at);
        copy.route = BulkRoute::within;
        piece.shared = shared(work.to, places.to);
        piece.source = shared(work.from, places.from);
        break;
    case BulkKind::prefetch: global(work.from, places.from); return;
    default:
        require_clusters(at);
        copy.route = BulkRoute::registers;
        piece.shared = shared(work.to, places.to, copy.bytes);
        take_values(at, copy);
    }
    if (copy.route != BulkRoute::to_global) {
        copy.object = shared_range(at, work.object.op, places.object.lane[lane], 8, 8);
        check_object(at, copy);
    }
    if (copy.bytes != 0) copy.pieces.push_back(piece);
    start_bulk_copy(at.x, std::move(copy), at.first);
}

Flow bulk_copy(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const BulkWork& work = x.function->bulk[in.extra];
    const BulkPlaces places = places_of(x, work, mask);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        stop_when_due(x, in, lowest_lane(rest));
        start({x, in, work, lowest_lane(rest), rest == mask}, places);
    }
    return Flow::next;
}

// st.bulk: writes zeros at once.
Flow fill_shared(Executor& x, const Instruction& in, std::uint32_t mask)
{
    constexpr std::uint64_t unit = 8;
    const BulkWork& work = x.function->bulk[in.extra];
    Addresses to;
    form_addresses(x, work.to, mask, to);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const BulkStart at{x, in, work, lane};
        stop_when_due(x, in, lane);
        Address address = to.lane[static_cast<std::size_t>(lane)];
        if (work.to.space == ptx::Space::none) {
            if (space_of(address) != ptx::Space::shared)
                x.fault(in, "bad_address", lane, address,
                        "fills memory that is not in shared memory");
            address -= shared_window;
        }
        const std::uint64_t bytes = x.row<const std::uint64_t>(work.size)[lane];
        check_multiple(at, bytes, unit, 0, "number of bytes");
        BulkPiece piece;
        piece.shared = shared_range(at, work.to.op, address, bytes, unit);
        piece.bytes = static_cast<std::uint32_t>(bytes);
        if (bytes == 0) continue;
        BulkCopy copy = new_copy(at);
        copy.route = BulkRoute::registers;
        copy.bytes = bytes;
        copy.pieces.push_back(piece);
        for (Observer* observer : x.observers) observer->bulk(x, {BulkEvent::Stage::fills, copy});
        std::memset(x.block->shared.data() + piece.shared, 0, piece.bytes);
    }
    return Flow::next;
}

Flow commit_bulk(Executor& x, const Instruction&, std::uint32_t mask)
{
    std::vector<std::uint32_t>& groups = x.warp->bulk_groups;
    groups.resize(warp_lanes);
    for (; mask != 0; mask &= mask - 1) ++groups[static_cast<std::size_t>(lowest_lane(mask))];
    return Flow::next;
}

// values[0]: number of groups that may stay pending.
template <bool Read>
Flow wait_bulk(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto allowed = static_cast<std::uint64_t>(x.function->operands[in.extra].values[0]);
    constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
    wait_for_groups(x, mask, static_cast<std::uint32_t>(std::min(allowed, max)), Read);
    return Flow::next;
}

} // namespace

Handlers bulk_copy_handlers()
{
    return same<bulk_copy>();
}
Handlers bulk_fill_handlers()
{
    return same<fill_shared>();
}
Handlers bulk_commit_handlers()
{
    return same<commit_bulk>();
}
Handlers bulk_wait_handlers(bool read)
{
    return read ? same<wait_bulk<true>>() : same<wait_bulk<false>>();
}

} // namespace lanescope::simt
