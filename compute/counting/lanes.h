// Recognises address patterns of a warp access: common ones without a branch per lane, others lane
// by lane.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "compute/counting/counting.h"

namespace lanescope::counting {

constexpr std::uint32_t all_lanes = 0xffffffffu;

// True if lane i is at lane 0's address + i * step, for all 32 lanes.
inline bool has_stride(Addresses addresses, std::uint64_t step)
{
    using Pair = std::uint64_t __attribute__((vector_size(16)));
    Pair difference{};
    Pair expected{addresses[0], addresses[0] + step};
    const Pair advance{2 * step, 2 * step};
#pragma GCC unroll 16
    for (int lane = 0; lane < 32; lane += 2) {
        Pair pair;
        std::memcpy(&pair, &addresses[lane], sizeof pair);
        difference |= pair ^ expected;
        expected += advance;
    }
    return (difference[0] | difference[1]) == 0;
}

// True if the active lanes are consecutive and their addresses increase by `step`, as at the edge
// of an array.
inline bool is_run(Addresses addresses, std::uint32_t active, std::uint64_t step)
{
    if (active == all_lanes) return has_stride(addresses, step);
    const int first = std::countr_zero(active);
    if ((active >> first & ((active >> first) + 1)) != 0) return false;
    const int count = std::popcount(active);
    std::uint64_t difference = 0;
    std::uint64_t expected = addresses[first];
    for (int lane = first; lane < first + count; ++lane, expected += step)
        difference |= addresses[lane] ^ expected;
    return difference == 0;
}

// True if the active lanes' addresses are non-decreasing.
inline bool ascend(Addresses addresses, std::uint32_t active)
{
    std::uint64_t last = 0;
    bool ascending = true;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = addresses[std::countr_zero(rest)];
        ascending &= last <= address;
        last = address;
    }
    return ascending;
}

// The active lanes' addresses in ascending order.
struct SortedAddresses {
    std::array<std::uint64_t, 32> values;
    int count = 0;

    SortedAddresses(Addresses addresses, std::uint32_t active)
    {
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1)
            values[count++] = addresses[std::countr_zero(rest)];
        if (!ascend(addresses, active)) std::sort(values.begin(), values.begin() + count);
    }
};

} // namespace lanescope::counting
