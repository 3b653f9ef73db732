// Stores to shared memory that a wgmma which has not been waited for may still be reading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "compute/simt/machine/executor.h"
#include "compute/simt/operations/matrix/warp_group.h"

namespace lanescope::simt {

// A lane of the access whose bytes a pending product reads, and the product.
inline std::optional<std::pair<int, PendingRead>>
product_reads_stored_bytes(const Block& block, const AccessEvent& event)
{
    if (std::ranges::all_of(block.warps, [](const Warp& warp) { return warp.products.empty(); }) ||
        !pending_read(block, event.low, event.high))
        return std::nullopt;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t at = event.address(lane);
        const auto width = static_cast<std::uint64_t>(event.width_bytes);
        if (const auto read = pending_read(block, at, at + width)) return std::pair{lane, *read};
    }
    return std::nullopt;
}

} // namespace lanescope::simt
