// Lanes that are held at a reconvergence point continue where lanes of their branch would otherwise
// wait for them forever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

std::vector<int> run(std::string_view kernel, const std::vector<int>& start, bool takes_input)
{
    Machine machine("held");
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(32));
    if (takes_input)
        machine.run(kernel, {}, *in, *out);
    else
        machine.run(kernel, {}, *out);
    return machine.values<int>(*out);
}

TEST(HeldLanes, EndWhileOthersSynchronise)
{
    const auto start = numbers(32, 1000);
    EXPECT_EQ(run("ends", start, true)[0], start[0] + start[1] + start[2] + start[3]);
}

TEST(HeldLanes, LeaveLoopInWhichOthersSynchronise)
{
    const auto got = run("leaves_loop", {0}, false);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[t], (t + 3) / 4) << t;
}

TEST(HeldLanes, ContinueAtEachNestedBranch)
{
    const auto got = run("nested", {0}, false);
    for (int t = 0; t < 32; ++t)
        EXPECT_EQ(got[t], t < 4 ? (t + 1100) * 2 : t < 16 ? (t + 100) * 2 : t) << t;
}

TEST(HeldLanes, ReachSameShuffleInLaterIteration)
{
    const auto start = numbers(32, 1000);
    const auto got = run("meets_later", start, true);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[t], start[t] + start[t ^ 16]) << t;
}

TEST(HeldLanes, ReturnFromFunctionInWhichOthersSynchronise)
{
    const auto got = run("returns_early", {0}, false);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? 2 : 1) << t;
}

TEST(HeldLanes, EndWhileOneLaneWaitsAtBarrier)
{
    Machine machine("held");
    const auto out = machine.buffer(std::vector<int>(2));
    machine.run("barrier_of_one_lane", {{1, 1, 1}, {64, 1, 1}, 0}, *out);
    EXPECT_EQ(machine.values<int>(*out), (std::vector<int>{7, 8}));
}

// Lanes 16 to 31 end without shuffling, so what they would have contributed is missing.
TEST(HeldLanes, ShuffleInBranchIsFault)
{
    Machine machine("held");
    const auto in = machine.buffer(numbers(32, 1000));
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault fault = machine.fault("shuffle_in_branch", {}, *in, *out);
    EXPECT_EQ(fault.kind, "warp_sync");
    EXPECT_THAT(fault.message, HasSubstr("lanes 16-31"));
}

TEST(HeldLanes, DeadlocksAreFaults)
{
    Machine machine("held");
    const auto in = machine.buffer(numbers(32, 1000));
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault barrier = machine.fault("then_barrier", {}, *out);
    EXPECT_EQ(barrier.kind, "warp_sync");
    EXPECT_THAT(barrier.message, HasSubstr("lanes 16-31"));
    const trace::Fault shuffle = machine.fault("then_shuffle", {}, *in, *out);
    EXPECT_EQ(shuffle.kind, "warp_sync");
    EXPECT_GT(shuffle.line, 0);
}

} // namespace
} // namespace lanescope::simt
