// Wavefronts compared with a table measured on an H100, and with a brute-force count.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "compute/counting/counting.h"
#include "tests/unit/counting/patterns.h"

namespace lanescope::counting {
namespace {

std::array<std::uint64_t, 32> stride(std::uint64_t bytes)
{
    return each_lane([=](auto n) { return bytes * n; });
}

TEST(Shared, MeasuredLoads)
{
    EXPECT_EQ(shared_load(stride(8), all_active, 4).wavefronts, 2u);
    EXPECT_EQ(shared_load(stride(16), all_active, 4).wavefronts, 4u);
    EXPECT_EQ(shared_load(stride(32), all_active, 4).wavefronts, 8u);
    EXPECT_EQ(shared_load(stride(128), all_active, 4).wavefronts, 32u);
    EXPECT_EQ(shared_load(stride(12), all_active, 4).wavefronts, 1u);
    EXPECT_EQ(shared_load(stride(0), all_active, 4).wavefronts, 1u);
    EXPECT_EQ(shared_load(each_lane([](auto n) { return 4 * (n / 2); }), all_active, 4).wavefronts,
              1u);
    EXPECT_EQ(shared_load(stride(8), all_active, 8).wavefronts, 2u);
    EXPECT_EQ(shared_load(stride(16), all_active, 16).wavefronts, 4u);
    EXPECT_EQ(shared_load(stride(0), all_active, 8).wavefronts, 1u);
    EXPECT_EQ(shared_load(each_lane([](auto n) { return 8 * (n / 2); }), all_active, 8).wavefronts,
              1u);
    EXPECT_EQ(shared_load(each_lane([](auto n) { return 8 * (n & 15); }), all_active, 8).wavefronts,
              2u);
    EXPECT_EQ(shared_load(stride(0), all_active, 16).wavefronts, 2u);
    EXPECT_EQ(shared_load(stride(16), 1u << 7, 16).wavefronts, 1u);
}

TEST(Shared, MeasuredStores)
{
    EXPECT_EQ(shared_store(stride(16), all_active, 16).wavefronts, 4u);
    EXPECT_EQ(shared_store(stride(0), all_active, 8).wavefronts, 2u);
    EXPECT_EQ(shared_store(stride(4), all_active, 4).wavefronts, 1u);
}

TEST(Shared, MeasuredAtomics)
{
    EXPECT_EQ(
        shared_atomic(each_lane([](auto n) { return 4 * (n % 16); }), all_active, 4).wavefronts,
        2u);
    EXPECT_EQ(
        shared_atomic(each_lane([](auto n) { return 4 * (n / 4); }), all_active, 4).wavefronts, 4u);
    EXPECT_EQ(shared_atomic(stride(8), all_active, 4).wavefronts, 2u);
    EXPECT_EQ(shared_atomic(stride(128), all_active, 4).wavefronts, 32u);
}

TEST(Shared, TransposeTiles)
{
    std::uint64_t plain = 0;
    std::uint64_t padded = 0;
    for (std::uint64_t column = 0; column < 32; ++column) {
        plain +=
            shared_load(each_lane([&](auto n) { return 4 * (n * 32 + column); }), all_active, 4)
                .wavefronts;
        padded +=
            shared_load(each_lane([&](auto n) { return 4 * (n * 33 + column); }), all_active, 4)
                .wavefronts;
    }
    EXPECT_EQ(plain * 1024, 1048576u);
    EXPECT_EQ(padded * 1024, 32768u);
}

TEST(Shared, IdealCountsActiveGroups)
{
    EXPECT_EQ(shared_load(stride(128), all_active, 4).ideal_wavefronts, 1u);
    EXPECT_EQ(shared_load(stride(16), all_active, 16).ideal_wavefronts, 4u);
    EXPECT_EQ(shared_load(stride(16), 0xffu, 16).ideal_wavefronts, 1u);
    EXPECT_EQ(shared_store(stride(0), all_active, 8).ideal_wavefronts, 2u);
    EXPECT_EQ(shared_load(stride(4), 0, 4), SharedCost{});
    EXPECT_EQ(shared_atomic(stride(4), 0, 4), SharedCost{});
}

// Applies the rule for stores, which also holds for loads whose lanes do not pair up, word by word.
std::uint32_t by_brute_force(const std::array<std::uint64_t, 32>& addresses, std::uint32_t active,
                             int width)
{
    const int lanes = width <= 4 ? 32 : 128 / width;
    std::uint32_t sum = 0;
    for (int first = 0; first < 32; first += lanes) {
        std::map<std::uint64_t, std::set<std::uint64_t>> words;
        for (int lane = first; lane < first + lanes; ++lane) {
            if ((active >> lane & 1) == 0) continue;
            for (int byte = 0; byte < width; ++byte) {
                const std::uint64_t word = (addresses[lane] + byte) / 4;
                words[word % 32].insert(word);
            }
        }
        std::size_t max_words = 0;
        for (const auto& [bank, distinct] : words) max_words = std::max(max_words, distinct.size());
        sum += static_cast<std::uint32_t>(max_words);
    }
    return sum;
}

TEST(Shared, MatchesBruteForce)
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 4000; ++round) {
        const int width = 1 << random() % 5;
        const std::uint64_t range = std::uint64_t{16} << random() % 9;
        const std::uint64_t step = static_cast<std::uint64_t>(width) * (random() % 9);
        const bool regular = random() % 2 == 0;
        const auto addresses = each_lane(
            [&](auto n) { return regular ? n * step : random() % range / width * width; });
        const auto active = static_cast<std::uint32_t>(random() % 3 == 0 ? all_active : random());
        ASSERT_EQ(shared_store(addresses, active, width).wavefronts,
                  by_brute_force(addresses, active, width))
            << "round " << round;
        if (width > 4) continue;
        ASSERT_EQ(shared_load(addresses, active, width).wavefronts,
                  by_brute_force(addresses, active, width))
            << "round " << round;
    }
}

} // namespace
} // namespace lanescope::counting
