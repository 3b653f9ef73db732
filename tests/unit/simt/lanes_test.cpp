// Instructions that exchange data between lanes; waits for other lanes, which end or fault.
#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

TEST(Lanes, Shuffles)
{
    Machine machine("lanes");
    const auto start = numbers(64, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(256));
    machine.run("shuffles", {{1, 1, 1}, {64, 1, 1}, 0}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 64; ++t) {
        const int warp = t / 32 * 32, lane = t % 32;
        int sum = 0;
        for (int i = 0; i < 32; ++i) sum += start[warp + i];
        EXPECT_EQ(got[t * 4], sum);
        EXPECT_EQ(got[t * 4 + 1], start[warp + (lane >= 3 ? lane - 3 : lane)]);
        EXPECT_EQ(got[t * 4 + 2], start[warp + (lane % 16 + 5 < 16 ? lane + 5 : lane)]);
        EXPECT_EQ(got[t * 4 + 3], start[warp + lane / 8 * 8 + t * 7 % 8]);
    }
}

TEST(Lanes, PartialWarpVotes)
{
    Machine machine("lanes");
    const auto start = numbers(32, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<unsigned>(32));
    machine.run("votes", {}, *in, *out);
    const auto got = machine.values<unsigned>(*out);
    unsigned odd = 0;
    bool five = false;
    for (int i = 0; i < 20; ++i) {
        odd |= static_cast<unsigned>(start[i] & 1) << i;
        five = five || start[i] == 5;
    }
    for (int t = 0; t < 32; ++t)
        ASSERT_EQ(got[t], t < 20 ? (odd + 1 + (five ? 2 : 0)) ^ 0xfffffu : 0u) << t;
}

TEST(Lanes, GroupsWithSeparateMasks)
{
    Machine machine("lanes");
    const auto start = numbers(32, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("groups", {}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 32; ++t) {
        int want = 0;
        for (int i = t % 2; i < 32; i += 2) want += start[i];
        ASSERT_EQ(got[t], want) << t;
    }
}

TEST(Lanes, PathsMeetAtSharedInstruction)
{
    Machine machine("lanes");
    const auto start = numbers(32, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("meet", {}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 32; ++t) {
        const int from = t ^ 31;
        ASSERT_EQ(got[t], from < 8 ? start[from] * 3 : start[from] + 5) << t;
    }
}

TEST(Lanes, SyncwarpsInBothBranchesMeet)
{
    Machine machine("lanes");
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("two_syncs", {}, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 32; ++t) ASSERT_EQ(got[t], t < 16 ? t : (t - 16) * 10) << t;
}

TEST(Lanes, UnreachableSyncIsFault)
{
    Machine machine("lanes");
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault fault = machine.fault("missing_lanes", {}, *out);
    EXPECT_EQ(fault.kind, "warp_sync");
    EXPECT_THAT(fault.message, HasSubstr("cannot arrive"));
    EXPECT_GT(fault.line, 0);
}

TEST(Lanes, LocksWithinWarp)
{
    Machine machine("lanes");
    for (const char* kernel : {"spin_lock", "spin_lock_outside"}) {
        const auto lock = machine.buffer(std::vector<int>(1));
        const auto value = machine.buffer(std::vector<int>(1));
        machine.run(kernel, {{2, 1, 1}, {64, 1, 1}, 0}, *lock, *value);
        EXPECT_EQ(machine.values<int>(*value)[0], 128) << kernel;
    }
}

TEST(Lanes, BlocksMayWaitForLaterBlocks)
{
    Machine machine("lanes");
    const auto arrived = machine.buffer(std::vector<int>(1));
    const auto out = machine.buffer(std::vector<int>(6));
    machine.run("grid_barrier", {{6, 1, 1}, {64, 1, 1}, 0}, *arrived, *out);
    for (int value : machine.values<int>(*out)) EXPECT_EQ(value, 6);
}

TEST(Lanes, EndlessWaitIsFault)
{
    Options options;
    options.step_budget = 1 << 20;
    Machine machine("lanes", options);
    const auto flag = machine.buffer(std::vector<int>(1));
    const trace::Fault fault = machine.fault("endless", {{2, 1, 1}, {64, 1, 1}, 0}, *flag);
    EXPECT_EQ(fault.kind, "step_budget");
    EXPECT_THAT(fault.message, HasSubstr("does not end"));
}

TEST(Lanes, DeadlockedBlocksAreFault)
{
    Options options;
    options.step_budget = 1 << 22;
    Machine machine("lanes", options);
    const auto flag = machine.buffer(std::vector<int>(1));
    const trace::Fault fault = machine.fault("endless", {{64, 1, 1}, {64, 1, 1}, 0}, *flag);
    EXPECT_EQ(fault.kind, "step_budget");
}

} // namespace
} // namespace lanescope::simt
