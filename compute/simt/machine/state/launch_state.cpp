// Writes kernel parameters into rows: the same value in every lane.
#include "compute/simt/machine/state/launch_state.h"

#include <algorithm>
#include <cstring>

namespace lanescope::simt {

void fill_launch_rows(LaunchState& state)
{
    for (const LaunchRow& row : state.program.launch_rows) {
        std::uint64_t value = 0;
        std::memcpy(&value, state.parameters.data() + row.offset,
                    static_cast<std::size_t>(row.bytes));
        const int unused = 64 - 8 * row.bytes;
        if (row.sign_extend)
            value =
                static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
        std::byte* lanes = state.constant_rows.data() + (row.row & ~3u);
        if (row.row_bytes == 8)
            std::fill_n(reinterpret_cast<std::uint64_t*>(lanes), warp_lanes, value);
        else
            std::fill_n(reinterpret_cast<std::uint32_t*>(lanes), warp_lanes,
                        static_cast<std::uint32_t>(value));
    }
}

} // namespace lanescope::simt
