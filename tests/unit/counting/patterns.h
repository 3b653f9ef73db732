// Addresses of a warp as a function of the lane.
#pragma once

#include <array>
#include <cstdint>

namespace lanescope::counting {

template <class Function>
std::array<std::uint64_t, 32> each_lane(Function address)
{
    std::array<std::uint64_t, 32> addresses{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = 0x10000 + address(lane);
    return addresses;
}

constexpr std::uint32_t all_active = 0xffffffffu;

} // namespace lanescope::counting
