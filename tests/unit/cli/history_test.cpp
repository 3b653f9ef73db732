// A quantity over the last ten seconds: older samples are dropped, and memory use is limited.
#include <gtest/gtest.h>

#include "app/run/frame/history.h"

namespace lanescope::test {
namespace {

using app::History;
using namespace std::chrono_literals;

const History::Clock::time_point start{100s};

TEST(SpreadOf, GivesMedianAndTwoPercentiles)
{
    EXPECT_EQ(spread_of({}).count, 0u);
    std::vector<double> samples;
    for (int i = 100; i >= 0; --i) samples.push_back(i);
    const Spread spread = spread_of(samples);
    EXPECT_EQ(spread.count, 101u);
    EXPECT_DOUBLE_EQ(spread.median, 50);
    EXPECT_DOUBLE_EQ(spread.p10, 10);
    EXPECT_DOUBLE_EQ(spread.p90, 90);
}

TEST(History, DropsSamplesAfterTenSeconds)
{
    History history;
    EXPECT_TRUE(history.empty());
    EXPECT_EQ(history.spread().count, 0u);
    for (int i = 0; i < 100; ++i) history.add(1, start + i * 100ms);
    EXPECT_EQ(history.spread().median, 1);
    EXPECT_EQ(history.spread().count, 100u);
    for (int i = 0; i < 150; ++i) history.add(2, start + 10s + i * 100ms);
    EXPECT_EQ(history.spread().p10, 2);
    EXPECT_LE(history.spread().count, 102u);
    EXPECT_LE(history.slices().size(), 40u);
}

TEST(History, StaysWithoutNewSamples)
{
    History history;
    for (int i = 0; i < 20; ++i) history.add(3, start + i * 100ms);
    const auto slices = history.slices();
    ASSERT_EQ(slices.size(), 8u);
    EXPECT_EQ(slices.back().age_s, 0);
    EXPECT_GT(slices.front().age_s, 1.4);
    EXPECT_LT(slices.front().age_s, 2);
    history.add(4, start + 1h);
    EXPECT_EQ(history.spread().count, 1u) << "a pause longer than the span ends with a new sample";
}

TEST(History, KeepsSpreadInBoundedMemory)
{
    History history;
    for (int i = 0; i < 100'000; ++i) history.add(i % 1000, start + i * 100us);
    const Spread spread = history.spread();
    EXPECT_GT(spread.count, 90'000u);
    EXPECT_NEAR(spread.median, 500, 25);
    EXPECT_NEAR(spread.p10, 100, 25);
    EXPECT_NEAR(spread.p90, 900, 25);
    for (const History::Slice& slice : history.slices()) EXPECT_GT(slice.spread.count, 900u);
}

} // namespace
} // namespace lanescope::test
