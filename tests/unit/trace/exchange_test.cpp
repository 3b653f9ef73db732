// Data exchange in hand-written recordings; tests/unit/simt/exchange_test.cpp covers real kernels.
#include "compute/trace/exchange.h"

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

using Kind = LaneEvent::Kind;

class Script {
public:
    explicit Script(int threads) { recording_.threads = threads; }

    Script& access(Kind kind, bool shared, int warp, std::uint32_t mask, auto&& address)
    {
        LaneEvent event{.kind = kind, .shared = shared, .warp = warp, .mask = mask};
        for (int lane = 0; lane < 32; ++lane)
            event.of[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(address(lane));
        recording_.events.push_back(event);
        return *this;
    }
    Script& shuffle(std::uint32_t mask, auto&& from)
    {
        return access(Kind::shuffle, false, 0, mask, from);
    }
    Script& barrier(std::uint32_t warps)
    {
        LaneEvent event{.kind = Kind::barrier, .mask = warps};
        recording_.events.push_back(event);
        return *this;
    }
    Script& cut_off()
    {
        recording_.complete = false;
        return *this;
    }
    Exchange exchange() const { return exchange_of(recording_); }

private:
    LaneRecording recording_;
};

constexpr std::uint32_t all = 0xffffffff;

std::size_t used(const ExchangeRow& row)
{
    std::size_t count = 0;
    for (const PassedValue& handed : row.handed) count += handed.used ? 1 : 0;
    return count;
}

TEST(Exchange, ShuffleReductionHalvesUsedLanes)
{
    Script script(32);
    script.access(Kind::load, false, 0, all, [](int lane) { return 4096 + 4 * lane; });
    for (int apart = 16; apart > 0; apart /= 2)
        script.shuffle(all, [&](int lane) { return lane + apart < 32 ? lane + apart : lane; });
    script.access(Kind::store, false, 0, 1, [](int) { return 8192; });
    const Exchange tree = script.exchange();
    ASSERT_EQ(tree.rows.size(), 5u);
    for (std::size_t row = 0; row < 5; ++row) {
        const std::size_t apart = 16 >> row;
        EXPECT_EQ(tree.rows[row].handed.size(), 32 - apart);
        EXPECT_EQ(used(tree.rows[row]), apart) << "row " << row + 1;
        EXPECT_EQ(tree.rows[row].active[0], all);
    }
    EXPECT_EQ(tree.loaded, std::vector<std::uint32_t>(32, 1));
    EXPECT_EQ(tree.stored[0], 1u);
    EXPECT_EQ(tree.stored_after[0], 5);
    EXPECT_EQ(tree.stored_after[1], -1);
}

// An incomplete recording may have missed a store.
TEST(Exchange, EverythingMayBeUsedAfterRecordingEnds)
{
    Script script(32);
    script.shuffle(all, [](int lane) { return (lane + 1) % 32; });
    EXPECT_EQ(used(script.exchange().rows[0]), 0u);
    EXPECT_EQ(used(script.cut_off().exchange().rows[0]), 32u);
}

TEST(Exchange, LoadSeesLastWriter)
{
    Script script(64);
    script.access(Kind::store, true, 0, all, [](int lane) { return 4 * lane; })
        .access(Kind::store, true, 1, all, [](int lane) { return 4 * (32 + lane); })
        .barrier(3)
        // Each lane loads its own value: no exchange.
        .access(Kind::load, true, 0, all, [](int lane) { return 4 * lane; })
        .access(Kind::load, true, 0, 0xf, [](int lane) { return 4 * (63 - lane); })
        .access(Kind::store, false, 0, 0xf, [](int lane) { return 4096 + 4 * lane; });
    const Exchange exchange = script.exchange();
    ASSERT_EQ(exchange.rows.size(), 1u);
    const ExchangeRow& row = exchange.rows[0];
    ASSERT_EQ(row.handed.size(), 4u);
    for (const PassedValue& handed : row.handed) {
        EXPECT_EQ(handed.from, 63 - handed.to);
        EXPECT_EQ(handed.from_row, 0);
        EXPECT_TRUE(handed.used);
    }
    EXPECT_EQ(row.active[0], 0xfu);
    EXPECT_EQ(row.active[1], 0u);
    EXPECT_FALSE(row.after_barrier); // no exchange before the barrier
}

// One warp exchanges twice before the barrier, the other one not at all: both are aligned after it.
TEST(Exchange, BarriersAlignWarps)
{
    Script script(64);
    const auto right = [](int lane) { return (lane + 1) % 32; };
    script.shuffle(all, right).shuffle(all, right);
    script.access(Kind::store, true, 0, all, [](int lane) { return 4 * lane; }).barrier(3);
    script.access(Kind::load, true, 1, all, [](int lane) { return 4 * lane; });
    const Exchange exchange = script.exchange();
    ASSERT_EQ(exchange.rows.size(), 3u);
    EXPECT_EQ(exchange.rows[2].active[1], all);
    EXPECT_TRUE(exchange.rows[2].after_barrier);
    EXPECT_EQ(exchange.rows[2].handed[0].from_row, 2);
    EXPECT_FALSE(exchange.rows[2].handed[0].used); // the loaded value is not stored
}

TEST(Exchange, AtomicResultDependsOnAllLanes)
{
    Script script(32);
    script.access(Kind::reduction, true, 0, all, [](int) { return 0; })
        .access(Kind::load, true, 0, 1, [](int) { return 0; })
        .access(Kind::store, false, 0, 1, [](int) { return 4096; });
    const Exchange exchange = script.exchange();
    ASSERT_EQ(exchange.rows.size(), 1u);
    EXPECT_EQ(exchange.rows[0].handed.size(), 31u);
    EXPECT_EQ(used(exchange.rows[0]), 31u);
}

TEST(Exchange, ConsecutiveWideLoadsAreOneStep)
{
    Script script(32);
    script.access(Kind::store, true, 0, all, [](int lane) { return 4 * lane; });
    for (int apart : {1, 2})
        script.access(Kind::load, true, 0, 0xff, [&](int lane) { return 4 * (lane + apart); });
    const Exchange exchange = script.exchange();
    ASSERT_EQ(exchange.rows.size(), 1u);
    EXPECT_EQ(exchange.rows[0].handed.size(), 16u);
}

} // namespace
} // namespace lanescope::trace
