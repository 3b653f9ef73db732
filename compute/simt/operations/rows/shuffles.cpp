// A shuffle of a whole warp by one distance is a copy of the row from another place, and lanes that
// have no source keep what they have.
#include "compute/simt/operations/row_shuffles.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

using u32 = std::uint32_t;

bool all_told_the_same(const ShuffleRows& rows)
{
    u32 differences = 0;
    for (int lane = 0; lane < warp_lanes; ++lane)
        differences |=
            ~rows.members[lane] | (rows.by[lane] ^ rows.by[0]) | (rows.clamp[lane] ^ rows.clamp[0]);
    return differences == 0;
}

// From lanes below, for `up`, else above. The row lies there twice, so that there is something to
// read beyond its end.
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
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const bool has_source = up ? lane >= distance : lane < warp_lanes - distance;
        rows.d[lane] = has_source ? from[lane] : twice[lane];
    }
    rows.inside = up ? full_mask << by : full_mask >> by;
}

void exchange(ShuffleRows& rows, u32 by)
{
    alignas(64) u32 source[warp_lanes];
    for (int lane = 0; lane < warp_lanes; ++lane) source[lane] = rows.source[lane];
    for (u32 lane = 0; lane < u32{warp_lanes}; ++lane) rows.d[lane] = source[lane ^ by];
    rows.inside = full_mask;
}

void give_to_all(ShuffleRows& rows, u32 from)
{
    const u32 word = rows.source[from];
    for (int lane = 0; lane < warp_lanes; ++lane) rows.d[lane] = word;
    rows.inside = full_mask;
}

bool shuffle(Shuffle kind, ShuffleRows& rows)
{
    const u32 by = rows.by[0] & 31u, clamp = rows.clamp[0];
    if ((clamp >> 8 & 31u) != 0 || (clamp & 31u) != (kind == Shuffle::up ? 0u : 31u)) return false;
    if (!all_told_the_same(rows)) return false;
    switch (kind) {
    case Shuffle::up: move_lanes<true>(rows, by); break;
    case Shuffle::down: move_lanes<false>(rows, by); break;
    case Shuffle::butterfly: exchange(rows, by); break;
    case Shuffle::index: give_to_all(rows, by); break;
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
