// The values that the lanes of a store write, one slot per lane.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

struct StoredValues {
    // For the widest vectors: 8 elements of 8 bytes or 4 of 16.
    static constexpr std::size_t room = 64;
    std::array<std::byte, warp_lanes * room> bytes{};

    const std::byte* of(int lane) const
    {
        return bytes.data() + static_cast<std::size_t>(lane) * room;
    }
};

// Returns false if the instruction does not store registers.
bool stored_by(const Executor& executor, const AccessEvent& event, StoredValues& stored);

// Finds two lanes of a store that write different values to one address.
std::optional<std::pair<int, int>> differing_lanes(const Executor& executor,
                                                   const AccessEvent& event);

} // namespace lanescope::simt
