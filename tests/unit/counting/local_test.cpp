// Local memory: interleaved by lane, so equal indices are adjacent words.
#include <gtest/gtest.h>

#include <array>

#include "compute/counting/counting.h"

namespace lanescope::counting {
namespace {

std::uint32_t sectors(std::uint64_t stride, int width, std::uint32_t active = 0xffffffffu)
{
    std::array<std::uint64_t, 32> addresses{};
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
        addresses[lane] = 64 + lane * stride;
    return local_sectors(addresses, active, width);
}

TEST(LocalMemory, SameIndexFillsSectors)
{
    EXPECT_EQ(sectors(0, 4), 4u);
    EXPECT_EQ(sectors(0, 1), 4u);
    EXPECT_EQ(sectors(0, 8), 8u);
    EXPECT_EQ(sectors(0, 16), 16u);
}

TEST(LocalMemory, DivergentIndexTakesSectorPerLane)
{
    EXPECT_EQ(sectors(4, 4), 32u);
    EXPECT_EQ(sectors(4, 4, 1u << 9), 1u);
    EXPECT_EQ(sectors(1, 1), 8u) << "four lanes share a word's row";
    EXPECT_EQ(sectors(0, 4, 0), 0u);
}

} // namespace
} // namespace lanescope::counting
