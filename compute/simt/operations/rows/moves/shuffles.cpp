// A whole-warp shuffle by one distance is an offset copy of the row, in which lanes without a
// source keep their value. Other shuffles are done lane by lane.
#include "compute/simt/operations/lanes/row_shuffles.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

using u32 = std::uint32_t;

// Whether each lane's mask contains all lanes, and whether all lanes use the
// same distance over the whole warp.
struct Reported {
    bool all_named, same;
};
Reported look(Shuffle kind, const ShuffleRows& rows)
{
    const u32 clamp = rows.clamp[0];
    u32 unnamed = 0, differences = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        unnamed |= ~rows.members[lane];
        differences |= (rows.by[lane] ^ rows.by[0]) | (rows.clamp[lane] ^ clamp);
    }
    const bool whole = (clamp >> 8 & 31u) == 0 && (clamp & 31u) == (kind == Shuffle::up ? 0u : 31u);
    return {unnamed == 0, differences == 0 && whole};
}

// Reads from lower lanes for `up`, otherwise from higher ones. The row is duplicated, so that reads
// past its end are valid.
template <bool up>
void move_lanes(ShuffleRows& rows, u32 by)
{
    alignas(64) u32 twice[2 * warp_lanes];
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const u32 word = rows.source[lane];
        twice[lane] = word;
        twice[lane + warp_lanes] = word;
    }
    const u32* const from = up ? twice + warp_lanes - by : twice + by;
    const int distance = static_cast<int>(by);
    u32* const d = rows.d;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const bool has_source = up ? lane >= distance : lane < warp_lanes - distance;
        d[lane] = has_source ? from[lane] : twice[lane];
    }
    rows.inside = up ? full_mask << by : full_mask >> by;
}

void exchange(ShuffleRows& rows, u32 by)
{
    alignas(64) u32 source[warp_lanes];
    for (int lane = 0; lane < warp_lanes; ++lane) source[lane] = rows.source[lane];
    u32* const d = rows.d;
    for (u32 lane = 0; lane < u32{warp_lanes}; ++lane) d[lane] = source[lane ^ by];
    rows.inside = full_mask;
}

void broadcast_lane(ShuffleRows& rows, u32 from)
{
    const u32 word = rows.source[from];
    u32* const d = rows.d;
    for (int lane = 0; lane < warp_lanes; ++lane) d[lane] = word;
    rows.inside = full_mask;
}

// Shuffles lane by lane, each with its own distance and clamp.
template <Shuffle kind>
void receive(ShuffleRows& rows)
{
    alignas(64) u32 source[warp_lanes];
    for (int lane = 0; lane < warp_lanes; ++lane) source[lane] = rows.source[lane];
    alignas(64) int from[warp_lanes];
    u32 inside = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const int by = static_cast<int>(rows.by[lane] & 31u);
        const int clamp = static_cast<int>(rows.clamp[lane] & 31u);
        const int segment = static_cast<int>(rows.clamp[lane] >> 8 & 31u);
        const int first = lane & segment;
        const int last = first | (clamp & ~segment);
        const int asked = kind == Shuffle::up          ? lane - by
                          : kind == Shuffle::down      ? lane + by
                          : kind == Shuffle::butterfly ? lane ^ by
                                                       : first | (by & ~segment);
        const bool valid = kind == Shuffle::up ? asked >= last : asked <= last;
        from[lane] = valid ? asked : lane;
        inside |= static_cast<u32>(valid) << lane;
    }
    u32* const d = rows.d;
    for (int lane = 0; lane < warp_lanes; ++lane) d[lane] = source[from[lane]];
    rows.inside = inside;
}

bool shuffle(Shuffle kind, ShuffleRows& rows)
{
    const Reported reported = look(kind, rows);
    if (!reported.all_named) return false;
    const u32 by = rows.by[0] & 31u;
    switch (kind) {
    case Shuffle::up:
        reported.same ? move_lanes<true>(rows, by) : receive<Shuffle::up>(rows);
        break;
    case Shuffle::down:
        reported.same ? move_lanes<false>(rows, by) : receive<Shuffle::down>(rows);
        break;
    case Shuffle::butterfly:
        reported.same ? exchange(rows, by) : receive<Shuffle::butterfly>(rows);
        break;
    case Shuffle::index:
        reported.same ? broadcast_lane(rows, by) : receive<Shuffle::index>(rows);
        break;
    }
    return true;
}

} // namespace

WholeWarpShuffle whole_warp_shuffle();
WholeWarpShuffle whole_warp_shuffle()
{
    return &shuffle;
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
