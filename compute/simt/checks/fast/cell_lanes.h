// Tracks which lanes of one warp have read and written a cell since they last met, per word, or per
// byte for narrower accesses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compute/simt/checks/shadow/cells.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

// A lane number, or `several`. `atomic` marks a writer that has only done atomic operations.
namespace lane_state {
constexpr std::uint8_t none = 0xff, several = 0x40, atomic = 0x20;
}

// Layout of an access's lanes: contiguous, with lane 0 at `low` (extrapolated if inactive), or one
// location with the same lane mark, `everywhere`, for all lanes.
struct LaneLayout {
    bool by_byte = false; // several lanes may share a word
    bool contiguous = false;
    std::uint8_t shift = 0; // log2 of words (or bytes) per lane
    std::uint8_t everywhere = lane_state::several;
    std::uint64_t low = 0;

    static LaneLayout side_by_side(std::uint64_t low, std::uint64_t width_bytes);
    static LaneLayout one_lane(int lane, std::uint64_t width_bytes);
};

// Range of words or bytes of a cell that one lane touches.
struct LanePlaces {
    int lane;
    std::uint64_t begin, end;
};

// Per word (16) or byte (64) of a cell: the lane that touches it, and in `touched` 0xff if there is
// one.
template <std::size_t N>
struct LanesOf {
    std::array<std::uint8_t, N> lane{}, touched{};

    void add(const LanePlaces& at)
    {
        for (std::uint64_t i = at.begin; i < at.end; ++i) {
            const bool other = touched[i] != 0 && lane[i] != at.lane;
            lane[i] = other ? lane_state::several : static_cast<std::uint8_t>(at.lane);
            touched[i] = 0xff;
        }
    }
};

struct CellLanes {
    static constexpr std::size_t words = cell_bytes / 4;
    std::uint64_t meeting = 0; // the warp's last meeting before the accesses below
    std::array<std::uint8_t, words> reader{}, writer{};
    // Index of its per-byte lanes in LaneChecks; valid if `bytes_block` is the current block.
    std::uint32_t bytes = 0, bytes_block = 0;
};

// Per-core state of the lanes of the block's warps. clash() records an access and returns
// true if it is unordered with accesses of other lanes. `now` is the warp's last meeting, a
// serial number that is never reused.
class LaneChecks {
public:
    struct Laid {
        const LaneLayout& layout;
        std::uint64_t index, bits; // the cell, and its bytes
    };
    void block_begins();
    bool clash(CellLanes& cell, std::uint64_t now, const Laid& laid, trace::Op op);
    bool clash(CellLanes& cell, std::uint64_t now, const LanesOf<CellLanes::words>& lanes,
               trace::Op op);
    bool clash(CellLanes& cell, std::uint64_t now, const LanesOf<cell_bytes>& lanes, trace::Op op);

    // Like clash(), for one lane at positions [begin, end) in units of 1 or 4 bytes.
    template <std::size_t Unit>
    bool clash_of_lane(CellLanes& cell, std::uint64_t now, const LanePlaces& at, trace::Op op)
    {
        if (Unit == 1 || is_by_byte(cell, now)) {
            ByByte& bytes = by_byte(cell, now);
            return clash_of_lane(bytes, {at.lane, Unit * at.begin, Unit * at.end}, op);
        }
        if (cell.meeting != now) begin(cell, now);
        return clash_of_lane(cell, at, op);
    }
    // Returns true if any lane may have written to the cell since the last meeting.
    bool is_written(const CellLanes& cell, std::uint64_t now) const
    {
        if (is_by_byte(cell, now)) return true;
        if (cell.meeting != now) return false;
        std::array<std::uint64_t, 2> writers;
        std::memcpy(writers.data(), cell.writer.data(), sizeof writers);
        return (writers[0] & writers[1]) != ~std::uint64_t{0};
    }

private:
    struct ByByte {
        std::uint64_t meeting = 0; // the warp's last meeting before the accesses below
        std::array<std::uint8_t, cell_bytes> reader{}, writer{};
    };
    bool is_by_byte(const CellLanes& cell, std::uint64_t now) const
    {
        return cell.bytes_block == block_ && by_byte_[cell.bytes].meeting == now;
    }
    static void begin(CellLanes& cell, std::uint64_t now)
    {
        cell.meeting = now;
        cell.reader.fill(lane_state::none);
        cell.writer.fill(lane_state::none);
    }
    // Per-byte lanes of the cell since the last meeting; converts it from per-word tracking if
    // needed.
    ByByte& by_byte(CellLanes& cell, std::uint64_t now)
    {
        return is_by_byte(cell, now) ? by_byte_[cell.bytes] : begin_by_byte(cell, now);
    }
    template <class Lanes>
    static bool clash_of_lane(Lanes& lanes, const LanePlaces& at, trace::Op op)
    {
        bool clash = false;
        for (std::uint64_t i = at.begin; i < at.end; ++i)
            clash |= record_lane(lanes.reader[i], lanes.writer[i],
                                 static_cast<std::uint8_t>(at.lane), op);
        return clash;
    }
    ByByte& begin_by_byte(CellLanes& cell, std::uint64_t now);
    // Records one lane at one word or byte. Returns true if it clashes with the lanes recorded
    // there.
    static bool record_lane(std::uint8_t& reader, std::uint8_t& writer, std::uint8_t mine,
                            trace::Op op);

    std::uint32_t block_ = 0; // serial number of the block; 0: none yet
    std::vector<ByByte> by_byte_;
};

inline bool LaneChecks::record_lane(std::uint8_t& reader, std::uint8_t& writer, std::uint8_t mine,
                                    trace::Op op)
{
    using namespace lane_state;
    constexpr auto without_atomic = static_cast<std::uint8_t>(~atomic);
    const bool loads = op == trace::Op::load, updates = is_update(op);
    const auto other = [&](std::uint8_t theirs) {
        return theirs != none && (theirs & without_atomic) != mine;
    };
    const bool bad =
        (other(writer) && !(updates && (writer & atomic) != 0)) || (!loads && other(reader));
    std::uint8_t& noted = loads ? reader : writer;
    const auto marked = static_cast<std::uint8_t>(mine | (updates ? atomic : 0));
    if (noted == none)
        noted = marked;
    else if ((noted & without_atomic) == mine)
        noted &= marked;
    else
        noted = static_cast<std::uint8_t>(several | (updates ? atomic : 0));
    return bad;
}

// Addresses of the lanes of a load batch, before adding each load's offset.
struct BatchLanes {
    explicit BatchLanes(const AddressGroup& group, std::uint32_t mask);
    std::array<std::uint64_t, warp_lanes> lane;
    Octets octets;
    bool octets_known;
    bool contiguous; // all lanes are active
    std::uint32_t mask;
    std::uint64_t width;
};

// A run of consecutive lanes of an access that are contiguous in memory or share one location.
struct LaneRun {
    LaneLayout layout;
    std::uint64_t begin, end; // in bytes
};
class LaneRuns {
public:
    explicit LaneRuns(const BatchLanes& lanes);
    const LaneRun* begin() const { return runs_.data(); }
    const LaneRun* end() const { return runs_.data() + count_; }

private:
    struct Place {
        std::uint64_t at, width;
        bool same; // all lanes at one location, not contiguous
    };
    void add(int first, int count, const Place& place);
    void join_equal();

    int next_lane_ = -1; // one past the last lane of the last run
    std::size_t count_ = 0;
    std::array<LaneRun, warp_lanes> runs_;
};

} // namespace lanescope::simt
