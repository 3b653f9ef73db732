// Constant memory: one pass per distinct word.
#include <gtest/gtest.h>

#include <array>

#include "compute/counting/counting.h"

namespace lanescope::counting {
namespace {

SharedCost cost(std::uint64_t stride, int width, std::uint32_t active = 0xffffffffu)
{
    std::array<std::uint64_t, 32> addresses{};
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
        addresses[lane] = 64 + (31 - lane) * stride;
    return constant_load(addresses, active, width);
}

TEST(ConstantMemory, SameWordIsReadOnce)
{
    EXPECT_EQ(cost(0, 4), (SharedCost{1, 1}));
    EXPECT_EQ(cost(0, 1), (SharedCost{1, 1}));
    EXPECT_EQ(cost(1, 1), (SharedCost{8, 1})) << "four lanes share a word";
}

TEST(ConstantMemory, EachFurtherWordTakesPass)
{
    EXPECT_EQ(cost(4, 4), (SharedCost{32, 1}));
    EXPECT_EQ(cost(4, 4, 0xffu), (SharedCost{8, 1}));
    EXPECT_EQ(cost(4, 4, 0), (SharedCost{0, 0}));
}

TEST(ConstantMemory, WideLoadTakesPassPerWord)
{
    EXPECT_EQ(cost(0, 16), (SharedCost{4, 4}));
    EXPECT_EQ(cost(8, 8), (SharedCost{64, 2}));
}

} // namespace
} // namespace lanescope::counting
