// One state byte per word or byte of a cell, processed 16 at a time with SIMD.
#include "compute/simt/checks/fast/cell_lanes.h"

#include <bit>
#include <cstring>

namespace lanescope::simt {

namespace {

using namespace lane_state;

constexpr std::size_t many = 16;
typedef std::uint8_t Many __attribute__((vector_size(many)));

Many loaded(const std::uint8_t* bytes)
{
    Many all;
    std::memcpy(&all, bytes, sizeof all);
    return all;
}

Many all_of(std::uint8_t byte)
{
    return Many{} + byte;
}

bool any(Many bytes)
{
    std::array<std::uint64_t, 2> halves;
    std::memcpy(halves.data(), &bytes, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

constexpr Many numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

constexpr auto without_atomic = static_cast<std::uint8_t>(~atomic);

// The lane that touches each word, kept in registers: writing it in pieces and reading it as a
// vector would stall on store forwarding.
struct WordLanes {
    Many lane, touched;
};

// 0xff for each word that contains any of these bytes, else 0.
inline Many words_of(std::uint64_t bytes)
{
    const std::uint64_t pairs = bytes | bytes >> 1;
    const std::uint64_t nibbles = (pairs | pairs >> 2) & 0x1111111111111111U;
    const auto spread = [](std::uint64_t eight) { // expands nibbles to bytes
        eight = (eight | eight << 16) & 0x0000ffff0000ffffU;
        eight = (eight | eight << 8) & 0x00ff00ff00ff00ffU;
        eight = (eight | eight << 4) & 0x0f0f0f0f0f0f0f0fU;
        return eight * 0xff;
    };
    typedef std::uint64_t Halves __attribute__((vector_size(many)));
    if (bytes == ~std::uint64_t{0}) return all_of(0xff); // most accesses touch whole cells
    return reinterpret_cast<Many>(Halves{spread(nibbles & 0xffffffffU), spread(nibbles >> 32)});
}

inline WordLanes words_of(const LaneChecks::Laid& laid)
{
    const LaneLayout& layout = laid.layout;
    WordLanes lanes{all_of(layout.everywhere), words_of(laid.bits)};
    if (layout.contiguous) { // lanes of untouched words don't matter
        const auto first = static_cast<std::uint8_t>((laid.index * cell_bytes - layout.low) / 4);
        lanes.lane = (first + numbers) >> layout.shift;
    }
    return lanes;
}

LanesOf<cell_bytes> bytes_of(const LaneChecks::Laid& laid)
{
    const LaneLayout& layout = laid.layout;
    const std::uint64_t first = laid.index * cell_bytes - layout.low;
    const int shift = layout.shift + (layout.by_byte ? 0 : 2);
    LanesOf<cell_bytes> lanes;
    for (std::size_t i = 0; i < cell_bytes; ++i) {
        lanes.touched[i] = (laid.bits >> i & 1u) != 0 ? 0xff : 0;
        const std::uint64_t at = first + i;
        lanes.lane[i] =
            layout.contiguous ? static_cast<std::uint8_t>(at >> shift) : layout.everywhere;
    }
    return lanes;
}

// Copies each element of `from` to all bytes of its word.
void spread(const std::array<std::uint8_t, CellLanes::words>& from,
            std::array<std::uint8_t, cell_bytes>& to)
{
    for (std::size_t i = 0; i < cell_bytes; ++i) to[i] = from[i / 4];
}

// Records 16 words or bytes. Returns true if a lane clashes with those recorded there.
inline bool note(std::uint8_t* reader, std::uint8_t* writer, const WordLanes& lanes, trace::Op op)
{
    const bool loads = op == trace::Op::load, updates = is_update(op);
    const std::uint8_t mark = updates ? atomic : 0;
    const Many readers_matter = all_of(loads ? 0 : 0xff);
    const Many updaters_matter = all_of(updates ? 0 : 0xff);
    const Many mine = lanes.lane, touched = lanes.touched;
    const Many readers = loaded(reader), writers = loaded(writer);
    const auto other = [&](Many theirs) {
        return Many(theirs != none) &
               (Many((theirs & without_atomic) != mine) | Many(mine == several));
    };
    const Many updated = updaters_matter | Many((writers & atomic) == 0);
    const Many bad = touched & ((other(writers) & updated) | (other(readers) & readers_matter));

    const Many before = loads ? readers : writers;
    const Many marked = mine | mark;
    const Many first = Many(before == none) | Many(before == marked);
    const Many same = Many((before & without_atomic) == mine);
    const Many both = (first & marked) | (~first & same & marked & before) |
                      (~first & ~same & static_cast<std::uint8_t>(several | mark));
    const Many after = (touched & both) | (~touched & before);
    std::memcpy(loads ? reader : writer, &after, sizeof after);
    return any(bad);
}

} // namespace

LaneLayout LaneLayout::side_by_side(std::uint64_t low, std::uint64_t width_bytes)
{
    LaneLayout layout;
    layout.low = low;
    layout.by_byte = width_bytes < 4;
    layout.contiguous = true;
    layout.shift =
        static_cast<std::uint8_t>(std::countr_zero(width_bytes) - (layout.by_byte ? 0 : 2));
    return layout;
}

LaneLayout LaneLayout::one_lane(int lane, std::uint64_t width_bytes)
{
    LaneLayout layout;
    layout.by_byte = width_bytes < 4;
    layout.everywhere = static_cast<std::uint8_t>(lane);
    return layout;
}

void LaneChecks::block_begins()
{
    ++block_;
    by_byte_.clear();
}

bool LaneChecks::clash(CellLanes& cell, std::uint64_t now, const Laid& laid, trace::Op op)
{
    const LaneLayout& layout = laid.layout;
    if (!layout.contiguous && layout.everywhere < warp_lanes) {
        const auto begin = static_cast<std::uint64_t>(lowest_bit(laid.bits));
        const LanePlaces bytes{layout.everywhere, begin,
                               begin + static_cast<std::uint64_t>(std::popcount(laid.bits))};
        return layout.by_byte
                   ? clash_of_lane<1>(cell, now, bytes, op)
                   : clash_of_lane<4>(cell, now, {bytes.lane, bytes.begin / 4, bytes.end / 4}, op);
    }
    if (layout.by_byte || is_by_byte(cell, now)) return clash(cell, now, bytes_of(laid), op);
    const WordLanes lanes = words_of(laid);
    if (cell.meeting == now) return note(cell.reader.data(), cell.writer.data(), lanes, op);
    // First access since the meeting: nothing to clash with.
    const bool loads = op == trace::Op::load;
    const std::uint8_t mark = is_update(op) ? atomic : 0;
    const Many alone = (lanes.lane | mark) | ~lanes.touched;
    cell.meeting = now;
    std::memcpy((loads ? cell.reader : cell.writer).data(), &alone, sizeof alone);
    (loads ? cell.writer : cell.reader).fill(none);
    return false;
}

bool LaneChecks::clash(CellLanes& cell, std::uint64_t now, const LanesOf<CellLanes::words>& lanes,
                       trace::Op op)
{
    if (is_by_byte(cell, now)) {
        LanesOf<cell_bytes> bytes;
        spread(lanes.lane, bytes.lane);
        spread(lanes.touched, bytes.touched);
        return clash(cell, now, bytes, op);
    }
    if (cell.meeting != now) begin(cell, now);
    return note(cell.reader.data(), cell.writer.data(),
                {loaded(lanes.lane.data()), loaded(lanes.touched.data())}, op);
}

LaneChecks::ByByte& LaneChecks::begin_by_byte(CellLanes& cell, std::uint64_t now)
{
    if (cell.bytes_block != block_) {
        cell.bytes_block = block_;
        cell.bytes = static_cast<std::uint32_t>(by_byte_.size());
        by_byte_.emplace_back();
    }
    ByByte& bytes = by_byte_[cell.bytes];
    bytes.meeting = now;
    if (cell.meeting == now) {
        spread(cell.reader, bytes.reader);
        spread(cell.writer, bytes.writer);
    } else {
        bytes.reader.fill(none);
        bytes.writer.fill(none);
    }
    return bytes;
}

bool LaneChecks::clash(CellLanes& cell, std::uint64_t now, const LanesOf<cell_bytes>& lanes,
                       trace::Op op)
{
    ByByte& bytes = by_byte(cell, now);
    bool clash = false;
    for (std::size_t i = 0; i < cell_bytes; i += many)
        clash |= note(&bytes.reader[i], &bytes.writer[i],
                      {loaded(&lanes.lane[i]), loaded(&lanes.touched[i])}, op);
    return clash;
}

BatchLanes::BatchLanes(const AddressGroup& group, std::uint32_t active)
    : lane(group.at.lane), octets(group.octets), octets_known(group.octets_known),
      contiguous(group.at.contiguous), mask(active), width(group.width)
{
}

LaneRuns::LaneRuns(const BatchLanes& batch)
{
    const auto& lanes = batch.lane;
    const std::uint64_t width = batch.width;
    if (batch.contiguous) {
        add(0, warp_lanes, {lanes[0], width, false});
        return;
    }
    constexpr int octet_lanes = 8;
    for (int first = 0; first < warp_lanes; first += octet_lanes) {
        const std::uint32_t members = batch.mask >> first & 0xffu;
        const Octet kind = batch.octets[static_cast<std::size_t>(first / octet_lanes)];
        const bool same = kind == Octet::same;
        if (members == 0xffu && batch.octets_known &&
            (same || (kind == Octet::neighbours && width == 4))) {
            add(first, octet_lanes, {lanes[static_cast<std::size_t>(first)], width, same});
            continue;
        }
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
            const int lane = first + lowest_lane(rest);
            add(lane, 1, {lanes[static_cast<std::size_t>(lane)], width, false});
        }
    }
    join_equal();
}

// Merges runs at equal locations, as occur when a row of threads is half a warp.
void LaneRuns::join_equal()
{
    std::size_t kept = 1;
    for (std::size_t i = 1; i < count_; ++i) {
        LaneRun& before = runs_[kept - 1];
        if (runs_[i].begin != before.begin || runs_[i].end != before.end) {
            runs_[kept++] = runs_[i];
            continue;
        }
        before.layout.contiguous = false;
        before.layout.everywhere = several;
    }
    count_ = kept;
}

// Adds `count` lanes that share one location or are contiguous.
void LaneRuns::add(int first, int count, const Place& place)
{
    const bool follows = first == next_lane_;
    next_lane_ = first + count;
    const std::uint64_t at = place.at, width = place.width;
    const std::uint64_t end = at + (place.same ? 1u : static_cast<std::uint64_t>(count)) * width;
    if (follows) {
        LaneRun& run = runs_[count_ - 1];
        const bool alone = run.layout.everywhere < warp_lanes;
        if (!place.same && run.end == at && (alone || run.layout.contiguous)) {
            run.layout =
                LaneLayout::side_by_side(at - static_cast<std::uint64_t>(first) * width, width);
            run.end = end;
            return;
        }
        if (run.begin == at && run.end == end && !run.layout.contiguous) {
            run.layout.everywhere = several;
            return;
        }
    }
    LaneRun& run = runs_[count_++];
    run = {LaneLayout::one_lane(first, width), at, end};
    if (place.same)
        run.layout.everywhere = several;
    else if (count > 1)
        run.layout =
            LaneLayout::side_by_side(at - static_cast<std::uint64_t>(first) * width, width);
}

} // namespace lanescope::simt
