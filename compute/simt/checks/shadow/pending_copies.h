// cp.async copies that have not been waited for: their destination must not be read yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// A lane that reads the destination of a pending copy, and the thread that issued the copy.
struct PendingCopy {
    int lane = 0;
    std::size_t warp = 0;
    int copying_lane = 0;
};

inline bool has_copies(const Block& block)
{
    return std::ranges::any_of(block.warps, [](const Warp& warp) { return !warp.copies.empty(); });
}

inline std::optional<PendingCopy> pending_copy(const Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::shared) return std::nullopt;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::size_t warp = 0; warp < x.shared_block().warps.size(); ++warp)
        for (const AsyncCopy& copy : x.shared_block().warps[warp].copies) {
            const std::uint64_t begin = copy.to, end = begin + copy.bytes;
            if (end <= event.low || begin >= event.high) continue;
            for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
                const int lane = lowest_lane(rest);
                const std::uint64_t at = event.address(lane);
                if (at < end && at + width > begin) return PendingCopy{lane, warp, copy.lane};
            }
        }
    return std::nullopt;
}

// Returns true if a pending copy goes to any of the cell's bytes.
inline bool is_copied_to(const Block& block, std::uint64_t cell, std::uint64_t bits)
{
    const std::uint64_t low = cell * cell_bytes;
    for (const Warp& warp : block.warps)
        for (const AsyncCopy& copy : warp.copies) {
            const std::uint64_t begin = std::max<std::uint64_t>(copy.to, low);
            const std::uint64_t end =
                std::min<std::uint64_t>(copy.to + copy.bytes, low + cell_bytes);
            if (begin < end && (byte_bits(begin - low, end - low) & bits) != 0) return true;
        }
    return false;
}

} // namespace lanescope::simt
