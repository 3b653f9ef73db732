// Tests of the heat reference itself, against laws of heat conduction.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "compute/labs/heat/reference.h"

namespace lanescope::labs::heat {
namespace {

Plate plate(int width, int height)
{
    const std::vector<float> first = start(width, height, 1);
    return {width, height, {first.begin(), first.end()}};
}

double total(const Plate& plate)
{
    return std::accumulate(plate.cells.begin(), plate.cells.end(), 0.0);
}

TEST(HeatReference, InsulatedPlateConservesHeat)
{
    Plate one = plate(40, 25);
    const double before = total(one);
    for (int i = 0; i < 100; ++i) advance(one, 0.25, true);
    EXPECT_NEAR(total(one), before, 1e-8);
}

TEST(HeatReference, StaysWithinInitialRange)
{
    Plate one = plate(33, 31);
    for (int i = 0; i < 200; ++i) advance(one, 0.25, false);
    const auto [low, high] = std::ranges::minmax(one.cells);
    EXPECT_GE(low, coldest);
    EXPECT_LE(high, hottest);
}

TEST(HeatReference, CheckerboardGrowsAsPredicted)
{
    Plate one{64, 64, std::vector<double>(64 * 64)};
    for (int i = 0; i < 64 * 64; ++i) one.cells[i] = (i + i / 64) % 2 == 0 ? 1 : -1;
    advance(one, 0.3, false);
    EXPECT_NEAR(one.cells[32 * 64 + 32], 1 - 8 * 0.3, 1e-12);
}

TEST(HeatReference, FixedEdgeKeepsValues)
{
    Plate one = plate(20, 10);
    const Plate before = one;
    advance(one, 0.2, false);
    for (int x = 0; x < 20; ++x) EXPECT_EQ(one.cells[x], before.cells[x]);
    for (int y = 0; y < 10; ++y) EXPECT_EQ(one.cells[y * 20 + 19], before.cells[y * 20 + 19]);
}

TEST(HeatReference, SineDecaysAsPredicted)
{
    const int size = 65;
    Plate one{size, size, std::vector<double>(size * size)};
    const double wave = std::acos(-1.0) / (size - 1);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            one.cells[y * size + x] = std::sin(wave * x) * std::sin(wave * y);
    for (int i = 0; i < 10; ++i) advance(one, 0.2, false);
    const double factor = 1 - 4 * 0.2 * (1 - std::cos(wave));
    EXPECT_NEAR(one.cells[32 * size + 32], std::pow(factor, 10), 1e-12);
}

TEST(HeatReference, InitialStateFollowsSeed)
{
    EXPECT_EQ(start(64, 48, 5), start(64, 48, 5));
    EXPECT_NE(start(64, 48, 5), start(64, 48, 6));
}

} // namespace
} // namespace lanescope::labs::heat
