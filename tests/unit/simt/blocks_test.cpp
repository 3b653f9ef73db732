// Shared memory and barriers.
#include <numeric>

#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

TEST(Blocks, DynamicSharedMemory)
{
    Machine machine("blocks");
    std::vector<float> start(7 * 96);
    std::iota(start.begin(), start.end(), 0.5f);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<float>(start.size()));
    machine.run("reverse", {{7, 1, 1}, {96, 1, 1}, 96 * 4}, *in, *out);
    const auto got = machine.values<float>(*out);
    for (int block = 0; block < 7; ++block)
        for (int t = 0; t < 96; ++t) ASSERT_EQ(got[block * 96 + t], start[block * 96 + 95 - t]);
}

TEST(Blocks, TreeSum)
{
    Machine machine("blocks");
    const auto start = numbers(256 * 5, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(5));
    machine.run("tree_sum", {{5, 1, 1}, {256, 1, 1}, 0}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int block = 0; block < 5; ++block)
        EXPECT_EQ(got[block], std::accumulate(start.begin() + block * 256,
                                              start.begin() + (block + 1) * 256, 0));
}

TEST(Blocks, TiledMultiplication)
{
    constexpr int n = 48;
    Machine machine("blocks");
    std::vector<float> a(n * n), b(n * n);
    const auto seeds = numbers(2 * n * n, 100);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(seeds[i] - 50);
        b[i] = static_cast<float>(seeds[n * n + i]) / 8;
    }
    const auto da = machine.buffer(a);
    const auto db = machine.buffer(b);
    const auto dc = machine.buffer(std::vector<float>(n * n));
    machine.run("multiply", {{3, 3, 1}, {16, 16, 1}, 0}, *da, *db, *dc, n);
    const auto got = machine.values<float>(*dc);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float want = 0; // exact: small multiples of 1/8
            for (int k = 0; k < n; ++k) want += a[y * n + k] * b[k * n + x];
            ASSERT_EQ(got[y * n + x], want) << x << ' ' << y;
        }
}

TEST(Blocks, ReducingBarriers)
{
    Machine machine("blocks");
    auto start = numbers(200, 30);
    start[70] = 77;
    start[130] = -1;
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(200));
    machine.run("votes_of_block", {{2, 1, 1}, {100, 1, 1}, 0}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < 200; ++i) {
        const auto begin = start.begin() + i / 100 * 100;
        const auto above = std::count_if(begin, begin + 100, [](int v) { return v > 10; });
        ASSERT_EQ(got[i], above * 4 + (i < 100 ? 1 : 0) * 2 + (i < 100 ? 1 : 0)) << i;
    }
}

TEST(Blocks, NamedBarriersBetweenWarps)
{
    Machine machine("blocks");
    const auto start = numbers(64 * 9, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(64));
    machine.run("producer_consumer", {{1, 1, 1}, {128, 1, 1}, 0}, *in, *out, 9);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 64; ++t) {
        int want = 0;
        for (int r = 0; r < 9; ++r) want += start[r * 64 + 63 - t];
        ASSERT_EQ(got[t], want) << t;
    }
}

TEST(Blocks, BarriersInBothBranches)
{
    Machine machine("blocks");
    const auto out = machine.buffer(std::vector<int>(64));
    machine.run("diverged_barrier", {{1, 1, 1}, {64, 1, 1}, 0}, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 64; ++t) ASSERT_EQ(got[t], t % 2 ? 63 - t : t - 63) << t;
}

} // namespace
} // namespace lanescope::simt
