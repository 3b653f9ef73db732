// Sectors compared with a table measured on an H100, and with a brute-force count.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "compute/counting/counting.h"
#include "tests/unit/counting/patterns.h"

namespace lanescope::counting {
namespace {

struct Row {
    const char* name;
    int width;
    std::array<std::uint64_t, 32> addresses;
    std::uint32_t active;
    std::uint32_t sectors;
    std::uint32_t ideal;
};

TEST(Global, MeasuredPatterns)
{
    const Row rows[] = {
        {"4 unit", 4, each_lane([](auto n) { return 4 * n; }), all_active, 4, 4},
        {"4 stride 2", 4, each_lane([](auto n) { return 8 * n; }), all_active, 8, 4},
        {"4 stride 8", 4, each_lane([](auto n) { return 32 * n; }), all_active, 32, 4},
        {"4 unit + 16", 4, each_lane([](auto n) { return 4 * n + 16; }), all_active, 5, 4},
        {"4 same", 4, each_lane([](auto) { return 0; }), all_active, 1, 1},
        {"4 reversed", 4, each_lane([](auto n) { return 4 * (31 - n); }), all_active, 4, 4},
        {"8 unit", 8, each_lane([](auto n) { return 8 * n; }), all_active, 8, 8},
        {"8 stride 2", 8, each_lane([](auto n) { return 16 * n; }), all_active, 16, 8},
        {"16 unit", 16, each_lane([](auto n) { return 16 * n; }), all_active, 16, 16},
        {"16 unit + 16", 16, each_lane([](auto n) { return 16 * n + 16; }), all_active, 17, 16},
        {"16 lane/2", 16, each_lane([](auto n) { return 16 * (n / 2); }), all_active, 8, 8},
        {"4 lanes 0,7,14,21,28", 4, each_lane([](auto n) { return 4 * n; }),
         1u << 0 | 1u << 7 | 1u << 14 | 1u << 21 | 1u << 28, 4, 1},
    };
    for (const Row& row : rows) {
        const GlobalCost cost = global_access(row.addresses, row.active, row.width);
        EXPECT_EQ(cost.sectors, row.sectors) << row.name;
        EXPECT_EQ(cost.ideal_sectors, row.ideal) << row.name;
    }
}

TEST(Global, WholeKernels)
{
    // Sum of two matrices of 1023 x 1023 floats, one warp per 32 columns.
    std::uint64_t sectors = 0;
    for (std::uint64_t y = 0; y < 1023; ++y)
        for (std::uint64_t x = 0; x < 1024; x += 32) {
            const auto addresses = each_lane([&](auto n) { return 4 * (y * 1023 + x + n); });
            const std::uint32_t active = x + 32 <= 1023 ? all_active : all_active >> 1;
            sectors += global_access(addresses, active, 4).sectors;
        }
    EXPECT_EQ(2 * sectors, 318914u); // two loads per cell

    std::uint64_t shifted = 0;
    for (std::uint64_t warp = 0; warp < 32768; ++warp)
        shifted +=
            global_access(each_lane([&](auto n) { return 4 * (32 * warp + n + 2); }), all_active, 4)
                .sectors;
    EXPECT_EQ(shifted, 163840u);
}

TEST(Global, TagStageProcessesFourLines)
{
    EXPECT_EQ(global_access(each_lane([](auto n) { return 4 * n; }), all_active, 4).wavefronts, 1u);
    EXPECT_EQ(global_access(each_lane([](auto n) { return 128 * n; }), all_active, 4).wavefronts,
              8u);
    EXPECT_EQ(
        global_access(each_lane([](auto n) { return 16 * n + 64; }), all_active, 16).wavefronts,
        2u);
}

TEST(Global, LineIs128Bytes)
{
    const auto lines = [](auto address, int width, std::uint32_t active = all_active) {
        return global_access(each_lane(address), active, width).lines;
    };
    EXPECT_EQ(lines([](auto n) { return 4 * n; }, 4), 1u);
    EXPECT_EQ(lines([](auto n) { return 4 * n + 4; }, 4), 2u);
    EXPECT_EQ(lines([](auto n) { return 4 * n + 4; }, 4, all_active >> 1), 1u);
    EXPECT_EQ(lines([](auto n) { return 16 * n + 16; }, 16), 5u);
    EXPECT_EQ(lines([](auto n) { return 64 * (31 - n); }, 4), 16u);
    EXPECT_EQ(lines([](auto n) { return 4096 * (n % 3); }, 8), 3u);
    EXPECT_EQ(lines([](auto) { return 96; }, 4), 1u);
    const auto same = each_lane([](auto n) { return 128 * (n / 16); });
    EXPECT_EQ(global_atomic(same, all_active, 4).lines, 2u); // lanes at one address do
                                                             // not add lines
}

TEST(Global, NoActiveLaneCostsNothing)
{
    const auto unit = each_lane([](auto n) { return 4 * n; });
    EXPECT_EQ(global_access(unit, 0, 4), GlobalCost{});
    EXPECT_EQ(global_atomic(unit, 0, 4), GlobalCost{});
}

TEST(Global, AtomicsCountCollisions)
{
    EXPECT_EQ(global_atomic(each_lane([](auto n) { return 4 * (n / 2); }), all_active, 4).sectors,
              4u);
    EXPECT_EQ(global_atomic(each_lane([](auto n) { return 4 * (n % 16); }), all_active, 4).sectors,
              4u);
    EXPECT_EQ(global_atomic(each_lane([](auto n) { return 4 * (n / 4); }), all_active, 4).sectors,
              4u);
    EXPECT_EQ(global_atomic(each_lane([](auto n) { return 4 * n; }), all_active, 4).sectors, 4u);
}

TEST(Global, MatchesBruteForce)
{
    std::mt19937_64 random(7);
    for (int round = 0; round < 4000; ++round) {
        const int width = 1 << random() % 5;
        const std::uint64_t range = std::uint64_t{1} << random() % 14;
        const auto stride = static_cast<std::uint64_t>(width) * (random() % 5);
        const bool regular = random() % 2 == 0;
        const auto addresses = each_lane([&](auto n) {
            return regular ? n * stride + range / width * width : random() % range / width * width;
        });
        const auto active = static_cast<std::uint32_t>(random() % 3 == 0 ? all_active : random());
        std::set<std::uint64_t> bytes, sectors, lines;
        std::map<std::uint64_t, std::map<std::uint64_t, std::uint32_t>> hits;
        for (int lane = 0; lane < 32; ++lane) {
            if ((active >> lane & 1) == 0) continue;
            ++hits[addresses[lane] / 32][addresses[lane]];
            for (int i = 0; i < width; ++i) {
                bytes.insert(addresses[lane] + i);
                sectors.insert((addresses[lane] + i) / 32);
                lines.insert((addresses[lane] + i) / 128);
            }
        }
        std::uint32_t collisions = 0;
        for (const auto& [sector, by_address] : hits) {
            std::uint32_t max_count = 0;
            for (const auto& [address, count] : by_address) max_count = std::max(max_count, count);
            collisions += max_count;
        }
        const GlobalCost want{static_cast<std::uint32_t>(sectors.size()),
                              static_cast<std::uint32_t>((bytes.size() + 31) / 32),
                              static_cast<std::uint32_t>((lines.size() + 3) / 4),
                              static_cast<std::uint32_t>(lines.size())};
        ASSERT_EQ(global_access(addresses, active, width), want) << "round " << round;
        ASSERT_EQ(global_atomic(addresses, active, width).sectors, collisions) << "round " << round;
    }
}

} // namespace
} // namespace lanescope::counting
