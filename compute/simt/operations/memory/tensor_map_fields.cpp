// Changes of tensor maps in shared memory, and their copies to global memory.
#include <cstring>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"
#include "compute/simt/operations/memory/bulk_starts.h"
#include "compute/simt/operations/memory/tensor_map.h"

namespace lanescope::simt {

namespace {

constexpr std::uint64_t map_alignment = 64;

// A copy of one map, for the observers.
BulkCopy map_access(const BulkStart& at, BulkRoute route, std::uint32_t shared, Address global)
{
    BulkCopy copy = new_copy(at);
    copy.route = route;
    copy.bytes = tensor_map_bytes;
    BulkPiece piece;
    piece.shared = shared;
    piece.global = global;
    piece.bytes = static_cast<std::uint32_t>(tensor_map_bytes);
    copy.pieces.push_back(piece);
    return copy;
}

Flow map_field(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const BulkWork& work = x.function->bulk[in.extra];
    const bool wide = work.field == MapField::address || work.field == MapField::stride;
    Addresses to;
    form_addresses(x, work.to, mask, to);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(lowest_lane(rest));
        const BulkStart at{x, in, work, lowest_lane(rest)};
        const std::uint32_t map =
            shared_range(at, work.to.op, to.lane[lane], tensor_map_bytes, map_alignment);
        const std::uint64_t value = wide ? x.row<const std::uint64_t>(work.values[0])[lane]
                                         : x.row<const std::uint32_t>(work.values[0])[lane];
        const BulkCopy copy = map_access(at, BulkRoute::registers, map, 0);
        for (Observer* observer : x.observers) observer->bulk(x, {BulkEvent::Stage::fills, copy});
        const std::span<std::byte, tensor_map_bytes> bytes(x.block->shared.data() + map,
                                                           tensor_map_bytes);
        if (!replace_field(bytes, work.field, work.dimension, value))
            throw device::DeviceError(
                fmt::format("The lockstep machine does not support the tensor map that {} makes: "
                            "its type, layout or swizzle ({}).",
                            place_text(*x.launch.program.module, x.source(in)), value),
                "Run this kernel on a GPU.");
    }
    return Flow::next;
}

// All lanes copy the same map.
Flow map_copy(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const BulkWork& work = x.function->bulk[in.extra];
    const BulkStart at{x, in, work, lowest_lane(mask)};
    const auto lane = static_cast<std::size_t>(at.lane);
    Addresses to, from;
    form_addresses(x, work.to, mask, to);
    form_addresses(x, work.from, mask, from);
    const std::uint32_t map =
        shared_range(at, work.from.op, from.lane[lane], tensor_map_bytes, map_alignment);
    const Address global = global_range(at, work.to.op, to.lane[lane], tensor_map_bytes);
    const BulkCopy copy = map_access(at, BulkRoute::to_global, map, global);
    for (Observer* observer : x.observers) observer->bulk(x, {BulkEvent::Stage::writes, copy});
    const Allocation& found = *x.launch.memory.find(global);
    std::memcpy(found.host + (global - found.begin), x.block->shared.data() + map,
                tensor_map_bytes);
    return Flow::next;
}

} // namespace

Handlers map_field_handlers()
{
    return same<map_field>();
}
Handlers map_copy_handlers()
{
    return same<map_copy>();
}

} // namespace lanescope::simt
