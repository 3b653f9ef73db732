// Bulk copies in the precise checks. A copy touches memory on behalf of the thread that started it
// until its mbarrier's phase is complete; only threads that have waited for the phase, or meet one
// that has, know that it is over.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/checks/precise/access_checks.h"
#include "compute/simt/machine/state/cluster.h"

namespace lanescope::simt {

namespace {

bool overlaps(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

bool fills_shared(const BulkCopy& copy)
{
    return copy.route != BulkRoute::to_global;
}

// True if the copy touches nothing in [low, high) of shared memory.
bool avoids_range(const BulkCopy& copy, std::uint64_t low, std::uint64_t high)
{
    return copy.low >= high || copy.high <= low;
}

trace::Op written_as(const BulkCopy& copy)
{
    return copy.reduce != nullptr ? trace::Op::reduction : trace::Op::store;
}

// The piece's range of shared memory that the copy reads; nullopt if it reads none, or has done so.
std::optional<std::uint64_t> source_of(const BulkCopy& copy, const BulkPiece& piece)
{
    if (copy.read) return std::nullopt;
    if (copy.route == BulkRoute::to_global) return piece.shared;
    if (copy.route == BulkRoute::within) return piece.source;
    return std::nullopt;
}

const ptx::Instruction& instruction_of(const Function& function, const Instruction& in)
{
    return function.source->instructions[in.source];
}

std::string thread_of(const Executor& x, int warp, int lane)
{
    return text(x.thread_index(x.block->warps[static_cast<std::size_t>(warp)], lane));
}

std::string place_of(const Executor& x, const Function& function, const Instruction& in)
{
    return place_text(*x.launch.program.module, instruction_of(function, in));
}

// "thread (0, 0, 0) by the bulk copy at copy.cu:7"
std::string described(const Executor& x, const BulkCopy& copy)
{
    return fmt::format("thread {} by the bulk copy at {}", thread_of(x, copy.warp, copy.lane),
                       place_of(x, *copy.function, *copy.instruction));
}

} // namespace

struct AccessChecks::BulkCell {
    const AccessEvent& event;
    Touch touch;
    Cell& cell;
    std::uint64_t index;
    std::uint64_t base; // address of the cell's first byte
    const Allocation* allocation;
};

int AccessChecks::copier_of(const Block& block, Address object)
{
    constexpr Address copiers = 192; // several mbarriers may share a number
    return static_cast<int>(block.warps.size() + object / 8 % copiers);
}

template <class Use>
void AccessChecks::for_bulk_cells(Executor& x, const BulkCopy& copy, const BulkPiece& piece,
                                  ptx::Space space, Address begin, trace::Op op, const Use& use)
{
    const bool is_shared = space == ptx::Space::shared;
    const Allocation* const allocation = is_shared ? nullptr : x.launch.memory.find(begin);
    if (piece.bytes == 0 || (!is_shared && allocation == nullptr)) return;
    const Address origin = is_shared ? 0 : allocation->begin;
    Access access;
    access.space = space;
    access.op = op;
    std::array<std::uint64_t, warp_lanes> lanes{};
    for_cells(begin - origin, begin - origin + piece.bytes,
              [&](std::uint64_t index, std::uint64_t bits) {
                  const auto first = static_cast<std::uint64_t>(lowest_bit(bits));
                  const int width = std::popcount(bits);
                  const std::uint64_t base = origin + index * cell_bytes;
                  const std::uint64_t low = base + first;
                  lanes[copy.lane] = low;
                  const std::uint32_t mask = 1u << copy.lane;
                  const AccessEvent event{*copy.instruction,
                                          access,
                                          space,
                                          op,
                                          width,
                                          lanes.data(),
                                          0,
                                          mask,
                                          low,
                                          low + static_cast<std::uint64_t>(width),
                                          false,
                                          true,
                                          allocation,
                                          nullptr,
                                          nullptr};
                  Touch touch;
                  touch.bits = bits;
                  touch.block = x.block->linear;
                  touch.function = copy.function;
                  touch.instruction = copy.instruction;
                  touch.tick = order_.tick(*x.block, copy.warp);
                  touch.warp = copy.warp;
                  touch.op = op;
                  touch.strong = is_update(op);
                  touch.meetings = order_.meetings(*x.block, copy.warp);
                  touch.lanes.fill(copy.lane);
                  touch.mask = mask;
                  Cell& cell = is_shared ? shared_[x.block->linear][index]
                                         : global_[allocation->number][index];
                  if (is_shared && cell.round != order_.rounds(*x.block)) {
                      cell.round = order_.rounds(*x.block);
                      cell.forget_all();
                  }
                  use(BulkCell{event, touch, cell, index, base, allocation});
                  return true;
              });
}

// Keeps the number of reads bounded: the latest ones suffice to show a race.
void AccessChecks::add_read(Cell& cell, const Touch& read)
{
    constexpr std::size_t max_reads = 12;
    if (cell.reads >= max_reads) cell.forget_first_read();
    cell.add(read);
}

// Faults if another thread's access to these bytes is not ordered before the copy. Afterwards a
// write has replaced older touches, and a read is one of them.
void AccessChecks::compare_bulk(Executor& x, const BulkCell& at)
{
    Cell& cell = at.cell;
    const bool loads = at.event.op == trace::Op::load;
    for (std::size_t i = 0; i < cell.bits.size(); ++i) {
        const std::uint64_t common = cell.bits[i] & at.touch.bits;
        if (common == 0) continue;
        Touch& theirs = cell.touches[i];
        const bool other = theirs.warp != at.touch.warp || theirs.block != at.touch.block;
        const bool clash = other ? conflicts(x, at.event, at.touch, theirs, common, at.base)
                                 : lanes_conflict(x, at.event, at.touch, theirs, common, at.base);
        if (clash && at.allocation != nullptr && is_update(at.touch.op) &&
            theirs.op == trace::Op::load)
            doubt(x, at.event, at.touch, theirs, common, at.base, at.allocation);
        else if (clash && (at.allocation != nullptr || theirs.by_copy))
            report_race(x, at.event, at.touch, theirs, common, at.base);
        else if (clash) {
            const auto byte = static_cast<std::size_t>(lowest_bit(common));
            const int lane = at.touch.lanes[byte];
            x.fault(at.event.instruction, "race", lane, shared_window + at.base + byte,
                    fmt::format(
                        "starts a bulk copy that {} shared memory at {:#x}, which thread {} has {} "
                        "at {}: nothing orders the copy after that. A barrier is missing, or an "
                        "mbarrier on which those threads arrive and this one waits",
                        verb(at.event.op), at.base + byte,
                        thread_of(x, theirs.named_warp(), theirs.lanes[byte] & ~several),
                        theirs.op == trace::Op::load    ? "read"
                        : theirs.op == trace::Op::store ? "written"
                                                        : "updated",
                        place_of(x, *theirs.function, *theirs.instruction)));
        }
        if (loads) continue;
        cell.bits[i] = theirs.bits &= ~at.touch.bits;
        cell.emptied = cell.emptied || theirs.bits == 0;
    }
    if (cell.emptied) cell.forget_empty();
    if (loads) add_read(cell, at.touch);
}

void AccessChecks::bulk(Executor& x, const BulkEvent& event)
{
    learnt_ = true;
    waiting_ = {};
    const BulkCopy& copy = event.copy;
    std::uint32_t tick = 0;
    if (event.stage == BulkEvent::Stage::writes && fills_shared(copy))
        tick = ++arrivals_[{x.block->linear, copy.object}].copied;
    for (const BulkPiece& piece : copy.pieces) {
        // A piece is compared with all pending ones.
        stop_when_due(x, *copy.instruction, copy.lane);
        switch (event.stage) {
        case BulkEvent::Stage::starts:
            start_reading(x, copy, piece);
            if (fills_shared(copy)) start_writing(x, copy, piece);
            break;
        case BulkEvent::Stage::reads: read_by_copy(x, copy, piece); break;
        case BulkEvent::Stage::writes:
            if (fills_shared(copy))
                written_by_copy(x, copy, piece, tick);
            else
                write_global(x, copy, piece);
            break;
        case BulkEvent::Stage::fills: fill(x, copy, piece); break;
        }
    }
}

void AccessChecks::start_reading(Executor& x, const BulkCopy& copy, const BulkPiece& piece)
{
    if (!races_ || piece.filled) return;
    if (copy.route == BulkRoute::to_shared)
        return for_bulk_cells(x, copy, piece, ptx::Space::global, piece.global, trace::Op::load,
                              [&](const BulkCell& at) { compare_bulk(x, at); });
    const auto source = source_of(copy, piece);
    if (!source) return;
    check_pending(x, copy, *source, piece.bytes, false);
    for_bulk_cells(x, copy, piece, ptx::Space::shared, *source, trace::Op::load,
                   [&](const BulkCell& at) {
                       compare_bulk(x, at);
                       check_proxy(x, copy, at.cell, at.base, at.touch.bits);
                   });
}

void AccessChecks::start_writing(Executor& x, const BulkCopy& copy, const BulkPiece& piece)
{
    if (!races_) return;
    check_pending(x, copy, piece.shared, piece.bytes, true);
    for_bulk_cells(x, copy, piece, ptx::Space::shared, piece.shared, written_as(copy),
                   [&](const BulkCell& at) { compare_bulk(x, at); });
}

// The copy has read shared memory until now: the thread that waits for it must meet threads that
// write there later.
void AccessChecks::read_by_copy(Executor& x, const BulkCopy& copy, const BulkPiece& piece)
{
    const auto source = source_of(copy, piece);
    if (!races_ || !source) return;
    for_bulk_cells(x, copy, piece, ptx::Space::shared, *source, trace::Op::load,
                   [&](const BulkCell& at) { add_read(at.cell, at.touch); });
}

void AccessChecks::written_by_copy(Executor& x, const BulkCopy& copy, const BulkPiece& piece,
                                   std::uint32_t tick)
{
    // Unwritten bytes of the source stay unwritten.
    const Allocation* const source = copy.route == BulkRoute::to_shared && !piece.filled
                                         ? x.launch.memory.find(piece.global)
                                         : nullptr;
    const bool has_gaps =
        copy.route == BulkRoute::within || (source != nullptr && !source->written.empty());
    const auto is_unwritten = [&](std::uint64_t offset) {
        const std::uint64_t from =
            source != nullptr ? piece.global - source->begin + offset : piece.source + offset;
        const std::uint64_t written = source != nullptr
                                          ? source->written[from / cell_bytes]
                                          : shared_[x.block->linear][from / cell_bytes].written;
        return (written >> (from % cell_bytes) & 1u) == 0;
    };
    for_bulk_cells(x, copy, piece, ptx::Space::shared, piece.shared, written_as(copy),
                   [&](const BulkCell& at) {
                       Cell& cell = at.cell;
                       if (uninitialised_) cell.written |= at.touch.bits;
                       for (std::uint64_t rest = at.touch.bits;
                            uninitialised_ && has_gaps && rest != 0; rest &= rest - 1) {
                           const auto byte = static_cast<std::uint64_t>(lowest_bit(rest));
                           if (is_unwritten(at.index * cell_bytes + byte - piece.shared))
                               cell.written &= ~(std::uint64_t{1} << byte);
                       }
                       for (GenericStore& store : cell.generic) store.bits &= ~at.touch.bits;
                       if (!races_) return;
                       for (std::size_t i = 0; i < cell.bits.size(); ++i) {
                           cell.bits[i] = cell.touches[i].bits &= ~at.touch.bits;
                           cell.emptied = cell.emptied || cell.bits[i] == 0;
                       }
                       if (cell.emptied) cell.forget_empty();
                       Touch touch = at.touch;
                       touch.by_copy = true;
                       touch.started_by = copy.warp;
                       touch.warp = static_cast<std::uint8_t>(copier_of(*x.block, copy.object));
                       touch.tick = tick;
                       cell.add(touch);
                   });
}

void AccessChecks::write_global(Executor& x, const BulkCopy& copy, const BulkPiece& piece)
{
    for_bulk_cells(x, copy, piece, ptx::Space::global, piece.global, written_as(copy),
                   [&](const BulkCell& at) {
                       if (races_) {
                           compare_bulk(x, at);
                           at.cell.add(at.touch);
                       }
                       if (!uninitialised_ || at.allocation->written.empty()) return;
                       std::uint64_t written = at.touch.bits;
                       for (std::uint64_t rest = written; rest != 0; rest &= rest - 1) {
                           const auto byte = static_cast<std::uint64_t>(lowest_bit(rest));
                           const std::uint64_t offset = at.base + byte - piece.global;
                           const std::uint64_t from = piece.shared + offset;
                           const Cell& cell = shared_[x.block->linear][from / cell_bytes];
                           if ((cell.written >> (from % cell_bytes) & 1u) == 0 ||
                               (copy.byte_mask >> (offset % 16) & 1u) == 0)
                               written &= ~(std::uint64_t{1} << byte);
                       }
                       x.launch.memory.mark_cell(*at.allocation, at.index, written);
                   });
}

// st.bulk stores like the thread itself.
void AccessChecks::fill(Executor& x, const BulkCopy& copy, const BulkPiece& piece)
{
    if (races_) check_pending(x, copy, piece.shared, piece.bytes, true);
    for_bulk_cells(x, copy, piece, ptx::Space::shared, piece.shared, trace::Op::store,
                   [&](const BulkCell& at) {
                       if (uninitialised_) at.cell.written |= at.touch.bits;
                       if (!races_) return;
                       compare_bulk(x, at);
                       note_generic(at.cell, at.touch);
                       at.cell.add(at.touch);
                   });
}

void AccessChecks::note_generic(Cell& cell, const Touch& store)
{
    for (GenericStore& older : cell.generic) older.bits &= ~store.bits;
    std::erase_if(cell.generic, [](const GenericStore& one) { return one.bits == 0; });
    for (GenericStore& older : cell.generic)
        if (older.warp == store.warp && older.tick == store.tick &&
            older.instruction == store.instruction) {
            older.bits |= store.bits;
            return;
        }
    const auto first = static_cast<std::size_t>(lowest_bit(store.bits));
    cell.generic.push_back({store.bits, store.function, store.instruction, store.tick, store.warp,
                            store.lanes[first] & ~several});
}

void AccessChecks::check_proxy(Executor& x, const BulkCopy& copy, const Cell& cell,
                               std::uint64_t base, std::uint64_t bits) const
{
    for (const GenericStore& store : cell.generic) {
        const std::uint64_t common = store.bits & bits;
        if (common == 0 || order_.is_proxy_fenced(*x.block, store.warp, store.tick)) continue;
        const std::uint64_t address = base + static_cast<std::uint64_t>(lowest_bit(common));
        x.fault(*copy.instruction, "race", copy.lane, shared_window + address,
                fmt::format("starts a bulk copy that reads shared memory at {:#x}, which thread {} "
                            "has written at {} without a fence.proxy.async after it: the copy may "
                            "read the old value. The writing threads need fence.proxy.async "
                            "(cuda::ptx::fence_proxy_async) before the barrier that precedes the "
                            "copy",
                            address, thread_of(x, store.warp, store.lane),
                            place_of(x, *store.function, *store.instruction)));
    }
}

void AccessChecks::check_pending(Executor& x, const AccessEvent& event) const
{
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (const BulkCopy& copy : x.shared_block().bulk.copies)
        for (const BulkPiece& piece : copy.pieces) {
            if (avoids_range(copy, event.low, event.high)) break;
            const bool fills = fills_shared(copy);
            const auto source = event.op == trace::Op::load ? std::nullopt : source_of(copy, piece);
            const auto is_touched = [&](std::uint64_t begin) {
                return overlaps(begin, piece.bytes, event.low, event.high - event.low);
            };
            if (!(fills && is_touched(piece.shared)) && !(source && is_touched(*source))) continue;
            for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
                const int lane = lowest_lane(rest);
                const std::uint64_t at = event.address(lane);
                if (fills && overlaps(piece.shared, piece.bytes, at, width))
                    x.fault(event.instruction, "race", lane, shared_generic(x, at),
                            fmt::format("{} {} at {:#x}, which {} fills: no thread has "
                                        "waited for that at its mbarrier (mbarrier.try_wait)",
                                        verb(event.op), shared_name(x), at, described(x, copy)));
                if (source && overlaps(*source, piece.bytes, at, width))
                    x.fault(event.instruction, "race", lane, shared_generic(x, at),
                            fmt::format("{} {} at {:#x}, which {} may still read: "
                                        "cp.async.bulk.wait_group.read by that thread is missing "
                                        "before this",
                                        verb(event.op), shared_name(x), at, described(x, copy)));
            }
        }
}

void AccessChecks::check_pending(Executor& x, const BulkCopy& mine, std::uint64_t begin,
                                 std::uint64_t bytes, bool writes) const
{
    for (const BulkCopy& copy : x.block->bulk.copies)
        for (const BulkPiece& piece : copy.pieces) {
            if (avoids_range(copy, begin, begin + bytes)) break;
            const bool atomic = mine.reduce != nullptr && copy.reduce != nullptr;
            if (fills_shared(copy) && !(atomic && writes) &&
                overlaps(piece.shared, piece.bytes, begin, bytes))
                x.fault(*mine.instruction, "race", mine.lane, shared_window + begin,
                        fmt::format("starts a bulk copy that {} shared memory at {:#x}, which {} "
                                    "fills: no thread has waited for that at its mbarrier",
                                    writes ? "writes" : "reads", begin, described(x, copy)));
            const auto source = source_of(copy, piece);
            if (writes && source && overlaps(*source, piece.bytes, begin, bytes))
                x.fault(*mine.instruction, "race", mine.lane, shared_window + begin,
                        fmt::format("starts a bulk copy that writes shared memory at {:#x}, which "
                                    "{} may still read: wait for that copy first",
                                    begin, described(x, copy)));
        }
}

void AccessChecks::report_after_copy(Executor& x, const AccessEvent& event, const Touch& theirs,
                                     std::uint64_t common, std::uint64_t base) const
{
    const auto byte = static_cast<std::size_t>(lowest_bit(common));
    const std::uint64_t touched = base + byte;
    int lane = lowest_lane(event.mask);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = event.address(lowest_lane(rest));
        if (touched < at || touched - at >= static_cast<std::uint64_t>(event.width_bytes)) continue;
        lane = lowest_lane(rest);
        break;
    }
    x.fault(event.instruction, "race", lane, shared_window + touched,
            fmt::format("{} shared memory at {:#x}, which thread {} has filled by the bulk copy "
                        "at {}: this thread has not waited for it at its mbarrier, and no barrier "
                        "orders it after a thread that has",
                        verb(event.op), touched,
                        thread_of(x, theirs.started_by, theirs.lanes[byte] & ~several),
                        place_of(x, *theirs.function, *theirs.instruction)));
}

} // namespace lanescope::simt
