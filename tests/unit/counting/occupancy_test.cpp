// Occupancy against figures of NVIDIA's occupancy calculator.
#include <gtest/gtest.h>

#include "compute/counting/occupancy.h"

namespace lanescope::counting {
namespace {

Occupancy on(int major, int minor, int threads, int registers, int shared)
{
    return occupancy(multiprocessor_limits(major, minor).value(), threads, registers, shared);
}

TEST(Occupancy, LimitedByWarps)
{
    const Occupancy result = on(9, 0, 256, 32, 0);
    EXPECT_EQ(result.blocks, 8);
    EXPECT_EQ(result.warps, 64);
    EXPECT_DOUBLE_EQ(result.fraction(), 1.0);
    EXPECT_EQ(result.limit, OccupancyLimit::warps);
    EXPECT_EQ(on(7, 5, 1024, 32, 0).blocks, 1);
    EXPECT_EQ(on(8, 6, 1024, 32, 0).blocks, 1);
}

TEST(Occupancy, LimitedByBlocks)
{
    const Occupancy result = on(8, 6, 32, 16, 0);
    EXPECT_EQ(result.blocks, 16);
    EXPECT_EQ(result.limit, OccupancyLimit::blocks);
    EXPECT_EQ(name(result.limit), "blocks");
}

TEST(Occupancy, LimitedByRegisters)
{
    // 65 registers take 72 a thread: 2304 a warp, 28 warps, three blocks of 8.
    const Occupancy result = on(8, 0, 256, 65, 0);
    EXPECT_EQ(result.blocks, 3);
    EXPECT_EQ(result.limit, OccupancyLimit::registers);
    EXPECT_EQ(on(8, 0, 1024, 255, 0).blocks, 0);
    EXPECT_EQ(on(8, 0, 32, 256, 0).blocks, 0);
}

TEST(Occupancy, LimitedBySharedMemory)
{
    // 48 KiB and the reserved KiB: four fit in 228.
    const Occupancy result = on(9, 0, 128, 32, 48 * 1024);
    EXPECT_EQ(result.blocks, 4);
    EXPECT_EQ(result.limit, OccupancyLimit::shared_memory);
    EXPECT_EQ(on(9, 0, 128, 32, 228 * 1024).blocks, 0);
    EXPECT_EQ(on(7, 5, 128, 32, 32 * 1024).blocks, 2);
}

TEST(Occupancy, ImpossibleBlocksAndUnknownDevices)
{
    EXPECT_EQ(on(9, 0, 0, 32, 0).blocks, 0);
    EXPECT_EQ(on(9, 0, 1025, 32, 0).blocks, 0);
    EXPECT_FALSE(multiprocessor_limits(6, 1).has_value());
}

} // namespace
} // namespace lanescope::counting
