// Starts copies of boxes of a tensor, which a tensor map describes.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"
#include "compute/simt/operations/memory/bulk_reductions.h"
#include "compute/simt/operations/memory/bulk_starts.h"
#include "compute/simt/operations/memory/bulk_transfers.h"
#include "compute/simt/operations/memory/tensor_map.h"

namespace lanescope::simt {

namespace {

constexpr std::uint64_t box_alignment = 128; // of a box in shared memory

using MapBytes = std::array<std::byte, tensor_map_bytes>;

// Copies the bytes at a generic address. Returns false if no tensor map can be there.
bool read_map(const Executor& x, Address address, MapBytes& bytes)
{
    const ptx::Space space = space_of(address);
    const std::byte* host = nullptr;
    std::uint64_t left = 0;
    if (space == ptx::Space::param || space == ptx::Space::constant) {
        const Extent extent = space_extent(x, space);
        const std::uint64_t offset = address - window(space);
        if (offset > extent.end) return false;
        host = extent.host + offset;
        left = extent.end - offset;
    } else if (space == ptx::Space::global) {
        const Allocation* const found = x.launch.memory.find(address);
        if (found == nullptr) return false;
        host = found->host + (address - found->begin);
        left = found->end - address;
    }
    if (left < bytes.size()) return false;
    std::memcpy(bytes.data(), host, bytes.size());
    return true;
}

TensorMap map_at(const BulkStart& at, Address address)
{
    MapBytes bytes;
    std::optional<TensorMap> map;
    if (read_map(at.x, address, bytes)) map = decode_tensor_map(bytes);
    if (!map)
        at.x.fault(at.in, "bad_address", at.lane, address,
                   fmt::format("copies through the tensor map at {:#x}, where there is none: pass "
                               "the CUtensorMap that cuTensorMapEncodeTiled has filled as a const "
                               "__grid_constant__ parameter, or copy it to global memory",
                               address));
    if (map->rank != at.work.rank)
        at.x.fault(at.in, "bad_address", at.lane, address,
                   fmt::format("copies a box of {} dimensions through a tensor map of {}",
                               at.work.rank, map->rank));
    // The layout of such boxes is not documented.
    if (map->swizzle_bytes() > map->extent(0) * map->element_bytes())
        throw device::DeviceError(
            fmt::format("The lockstep machine does not support boxes whose rows have fewer bytes "
                        "than the swizzle ({}), as at {}.",
                        map->swizzle_bytes(),
                        place_text(*at.x.launch.program.module, at.x.source(at.in))),
            "Use a narrower swizzle, or run this kernel on a GPU.");
    return *map;
}

void set_reduction(const BulkStart& at, const TensorMap& map, BulkCopy& copy)
{
    const auto kind = static_cast<AtomicKind>(at.work.reduction);
    const bool bits =
        kind == AtomicKind::bit_and || kind == AtomicKind::bit_or || kind == AtomicKind::bit_xor;
    ptx::Type type = map.element_type();
    if (bits && type == ptx::Type::u32) type = ptx::Type::b32;
    if (bits && type == ptx::Type::u64) type = ptx::Type::b64;
    copy.reduce = find_bulk_reduction(kind, type, true);
    if (copy.reduce == nullptr)
        at.x.fault(at.in, "bad_address", at.lane, 0,
                   "updates a tensor by an operation that its type of elements does not have");
}

// Elements outside the tensor are not written.
void check_pieces(const BulkStart& at, BulkCopy& copy, trace::Op op)
{
    if (copy.route == BulkRoute::to_global)
        std::erase_if(copy.pieces, [](const BulkPiece& piece) { return piece.filled; });
    for (const BulkPiece& piece : copy.pieces) {
        if (piece.filled) continue;
        const Allocation* const found = at.x.launch.memory.find(piece.global);
        if (found == nullptr || found->end - piece.global < piece.bytes)
            throw_span_out_of_bounds(at.x, at.in, op, ptx::Space::global, at.lane, piece.global,
                                     piece.bytes, {});
    }
}

struct TensorPlaces {
    Addresses map, shared, object;
};

void start_tensor(const BulkStart& at, const TensorPlaces& places)
{
    const auto lane = static_cast<std::size_t>(at.lane);
    const BulkWork& work = at.work;
    const TensorMap map = map_at(at, places.map.lane[lane]);
    if (work.kind == BulkKind::tensor_prefetch) return;
    std::array<std::int32_t, max_tensor_rank> first{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(work.rank); ++i)
        first[i] = at.x.row<const std::int32_t>(work.coordinates[i])[lane];
    BulkCopy copy = new_copy(at);
    copy.bytes = map.box_bytes();
    copy.element_bytes = static_cast<std::uint8_t>(map.element_bytes());
    copy.fill = map.fill();
    const bool loads = work.kind == BulkKind::tensor_load;
    const Access& access = loads ? work.to : work.from;
    // Also bounds the number of pieces.
    const std::uint32_t shared =
        shared_range(at, access.op, places.shared.lane[lane], copy.bytes, box_alignment);
    copy.pieces = pieces_of_box(map, first, shared);
    copy.route = loads ? BulkRoute::to_shared : BulkRoute::to_global;
    if (work.kind == BulkKind::tensor_store) {
        if (work.reduction >= 0) set_reduction(at, map, copy);
        if (!at.x.warp->bulk_groups.empty()) copy.group = at.x.warp->bulk_groups[lane];
    }
    check_pieces(at, copy, loads ? trace::Op::load : trace::Op::store);
    if (loads) {
        check_blocks(at);
        copy.object = shared_range(at, work.object.op, places.object.lane[lane], 8, 8);
        check_object(at, copy);
    }
    start_bulk_copy(at.x, std::move(copy), at.first);
}

Flow tensor_copy(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const BulkWork& work = x.function->bulk[in.extra];
    TensorPlaces places;
    form_addresses(x, work.map, mask, places.map);
    if (work.kind == BulkKind::tensor_load) {
        form_addresses(x, work.to, mask, places.shared);
        form_addresses(x, work.object, mask, places.object);
    } else if (work.kind == BulkKind::tensor_store) {
        form_addresses(x, work.from, mask, places.shared);
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        stop_when_due(x, in, lowest_lane(rest));
        start_tensor({x, in, work, lowest_lane(rest), rest == mask}, places);
    }
    return Flow::next;
}

} // namespace

Handlers tensor_copy_handlers()
{
    return same<tensor_copy>();
}

} // namespace lanescope::simt
