// A copy reads its source and writes its destination in separate steps, since .read waits only for
// the first.
#include "compute/simt/operations/memory/bulk_transfers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "compute/simt/checks/faults/faults.h"

namespace lanescope::simt {

namespace {

// Limits of the pending copies per block: their number, and the memory of the host that they need.
// The copies of a kernel that waits for them fit into shared memory, and so into the second limit.
constexpr std::size_t max_bulk_copies = std::size_t{1} << 14;
constexpr std::uint64_t max_host_bytes = std::uint64_t{1} << 20;

using Stage = BulkEvent::Stage;

void report_bulk(Executor& x, const BulkCopy& copy, Stage stage, bool first = false)
{
    for (Observer* observer : x.observers) observer->bulk(x, {stage, copy, first});
}

// Host address of a piece in global memory, which the kernel may have freed since the copy started.
std::byte* in_global(Executor& x, const BulkCopy& copy, const BulkPiece& piece, trace::Op op)
{
    const Allocation* const found = x.launch.memory.find(piece.global);
    if (found == nullptr || found->end - piece.global < piece.bytes)
        throw_span_out_of_bounds(x, *copy.instruction, op, ptx::Space::global, copy.lane,
                                 piece.global, piece.bytes, {});
    return found->host + (piece.global - found->begin);
}

void read_source(Executor& x, BulkCopy& copy)
{
    if (copy.read) return;
    report_bulk(x, copy, Stage::reads);
    std::size_t bytes = 0;
    for (const BulkPiece& piece : copy.pieces) bytes += piece.bytes;
    copy.data.resize(bytes);
    std::byte* to = copy.data.data();
    for (const BulkPiece& piece : copy.pieces) {
        const std::byte* const shared = x.block->shared.data();
        if (!piece.filled) {
            const std::byte* const from = copy.route == BulkRoute::to_shared
                                              ? in_global(x, copy, piece, trace::Op::load)
                                          : copy.route == BulkRoute::within ? shared + piece.source
                                                                            : shared + piece.shared;
            std::memcpy(to, from, piece.bytes);
        } else if (copy.fill != 0) {
            for (std::size_t i = 0; i < piece.bytes; i += copy.element_bytes)
                std::memcpy(to + i, &copy.fill, copy.element_bytes);
        }
        to += piece.bytes;
    }
    copy.read = true;
}

// Updates elements in groups of a warp's size, which atomics work on.
void update_elements(const BulkCopy& copy, std::byte* to, const std::byte* from, std::size_t bytes)
{
    const std::size_t element = copy.element_bytes;
    const std::size_t lane_bytes = element == 8 ? 8 : 4;
    std::array<std::uint64_t, warp_lanes> offsets{};
    alignas(8) std::array<std::byte, warp_lanes * 8> row{};
    for (std::size_t i = 0; i < warp_lanes; ++i) offsets[i] = i * element;
    for (std::size_t at = 0; at < bytes; at += warp_lanes * element) {
        const std::size_t count = std::min<std::size_t>(warp_lanes, (bytes - at) / element);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(row.data() + i * lane_bytes, from + at + i * element, element);
        const std::uint32_t mask = count == warp_lanes ? full_mask : (1u << count) - 1u;
        copy.reduce(to + at, offsets.data(), mask, row.data(), nullptr, nullptr);
    }
}

void put_bytes(const BulkCopy& copy, std::byte* to, const std::byte* from, std::size_t bytes)
{
    if (copy.reduce != nullptr) return update_elements(copy, to, from, bytes);
    if (copy.byte_mask == 0xffff) {
        std::memcpy(to, from, bytes);
        return;
    }
    for (std::size_t i = 0; i < bytes; ++i)
        if ((copy.byte_mask >> (i % 16) & 1u) != 0) to[i] = from[i];
}

void write_destination(Executor& x, const BulkCopy& copy)
{
    report_bulk(x, copy, Stage::writes);
    const std::byte* from = copy.data.data();
    for (const BulkPiece& piece : copy.pieces) {
        std::byte* const to = copy.route == BulkRoute::to_global
                                  ? in_global(x, copy, piece, trace::Op::store)
                                  : x.block->shared.data() + piece.shared;
        put_bytes(copy, to, from, piece.bytes);
        from += piece.bytes;
    }
}

void perform_copy(Executor& x, BulkCopy& copy)
{
    const AsIssuer issuer(x, copy);
    stop_when_due(x, *copy.instruction, copy.lane);
    read_source(x, copy);
    write_destination(x, copy);
    if (copy.route != BulkRoute::to_global) complete_copy(x, copy);
}

// Performs the copies for which is_due() is true, in the order in which they were started. A fault
// leaves the list unchanged.
template <class IsDue>
bool perform_due(Executor& x, const IsDue& is_due)
{
    std::vector<BulkCopy>& copies = x.block->bulk.copies;
    bool any = false;
    for (BulkCopy& copy : copies) {
        if (!is_due(copy)) continue;
        any = true;
        perform_copy(x, copy);
    }
    if (!any) return false;
    std::uint64_t& host_bytes = x.block->bulk.host_bytes;
    std::erase_if(copies, [&](const BulkCopy& copy) {
        const bool due = is_due(copy);
        if (due) host_bytes -= host_bytes_of(copy);
        return due;
    });
    return true;
}

// A loop may never wait for its copies. Performs the earliest ones, since a GPU may do so at any
// time.
void perform_earliest(Executor& x)
{
    BulkCopies& bulk = x.block->bulk;
    std::vector<BulkCopy>& copies = bulk.copies;
    if (copies.size() <= max_bulk_copies && bulk.host_bytes <= max_host_bytes) return;
    std::uint64_t left = bulk.host_bytes;
    std::size_t count = 0;
    while (count + 1 < copies.size() &&
           (copies.size() - count > max_bulk_copies / 2 || left > max_host_bytes / 2)) {
        perform_copy(x, copies[count]);
        left -= host_bytes_of(copies[count++]);
    }
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count));
    bulk.host_bytes = left;
}

} // namespace

void start_bulk_copy(Executor& x, BulkCopy copy, bool first)
{
    copy.low = ~std::uint32_t{0};
    const auto add = [&](std::uint32_t begin, std::uint32_t bytes) {
        copy.low = std::min(copy.low, begin);
        copy.high = std::max(copy.high, begin + bytes);
    };
    for (const BulkPiece& piece : copy.pieces) {
        add(piece.shared, piece.bytes);
        if (copy.route == BulkRoute::within) add(piece.source, piece.bytes);
    }
    report_bulk(x, copy, Stage::starts, first);
    BulkCopies& bulk = x.block->bulk;
    bulk.host_bytes += host_bytes_of(copy);
    bulk.copies.push_back(std::move(copy));
    perform_earliest(x);
}

bool perform_object_copies(Executor& x, std::uint32_t object)
{
    return perform_due(x, [&](const BulkCopy& copy) {
        return copy.route != BulkRoute::to_global && copy.object == object;
    });
}

void wait_for_groups(Executor& x, std::uint32_t lanes, std::uint32_t allowed, bool read_only)
{
    const Warp& warp = *x.warp;
    const auto is_due = [&](const BulkCopy& copy) {
        return copy.route == BulkRoute::to_global && copy.warp == warp.index &&
               (lanes >> copy.lane & 1u) != 0 && !warp.bulk_groups.empty() &&
               std::uint64_t{copy.group} + allowed < warp.bulk_groups[copy.lane];
    };
    if (!read_only) {
        perform_due(x, is_due);
        return;
    }
    for (BulkCopy& copy : x.block->bulk.copies) {
        if (!is_due(copy)) continue;
        const AsIssuer issuer(x, copy);
        stop_when_due(x, *copy.instruction, copy.lane);
        read_source(x, copy);
    }
}

void finish_bulk_copies(Executor& x)
{
    if (x.block->bulk.copies.empty()) return;
    perform_due(x, [](const BulkCopy& copy) { return copy.route == BulkRoute::to_global; });
    x.block->bulk.clear();
}

} // namespace lanescope::simt
