// Looks at the addresses of one warp access: the common patterns without a branch per lane, the others in order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "compute/counting/counting.h"

namespace lanescope::counting {

constexpr std::uint32_t all_lanes = 0xffffffffu;

// Whether lane i is at lane 0's address + i * step, for all 32 lanes.
inline bool has_stride(Addresses addresses, std::uint64_t step)
{
    // Four sums side by side do not wait for one another.
    std::uint64_t difference[4] = {};
    std::uint64_t expected[4] = {addresses[0], addresses[0] + step, addresses[0] + 2 * step, addresses[0] + 3 * step};
    for (int lane = 0; lane < 32; lane += 4)
        for (int i = 0; i < 4; ++i) {
            difference[i] |= addresses[lane + i] ^ expected[i];
            expected[i] += 4 * step;
        }
    return (difference[0] | difference[1] | difference[2] | difference[3]) == 0;
}

// The active lanes' addresses, ascending.
struct SortedAddresses {
    std::array<std::uint64_t, 32> values;
    int count = 0;

    SortedAddresses(Addresses addresses, std::uint32_t active)
    {
        std::uint64_t last = 0;
        bool ascending = true;
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = addresses[std::countr_zero(rest)];
            ascending &= last <= address;
            last = address;
            values[count++] = address;
        }
        if (!ascending) std::sort(values.begin(), values.begin() + count);
    }
};

} // namespace lanescope::counting
