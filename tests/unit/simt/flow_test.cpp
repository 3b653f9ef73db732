// Divergence and reconvergence: every lane ends with the value it would compute alone.
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr int count = 1000;
const Machine::Shape shape{{8, 1, 1}, {128, 1, 1}, 0};

TEST(Flow, NestedBranchesAndTail)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(count, -5));
    machine.run("nested", shape, *out, count);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < count; ++i) {
        int v = 0;
        if (i & 1)
            v = ((i & 2) ? 3 * i : i + 100) + 7;
        else if (i % 3 == 0)
            v = -i;
        ASSERT_EQ(got[i], v * 2 + 1) << i;
    }
}

TEST(Flow, LoopsOfDifferentLengths)
{
    Machine machine("flow");
    auto start = numbers(count, 500);
    for (int& value : start) ++value;
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(count));
    machine.run("collatz", shape, *in, *out, count);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < count; ++i) {
        unsigned v = static_cast<unsigned>(start[i]);
        int steps = 0;
        while (v != 1) {
            v = v % 2 ? 3 * v + 1 : v / 2;
            if (++steps == 200) break;
        }
        ASSERT_EQ(got[i], steps) << i;
    }
}

TEST(Flow, SwitchWithFallThroughReturnAndLoop)
{
    Machine machine("flow");
    const auto start = numbers(count, 100000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(count));
    machine.run("choices", shape, *in, *out, count);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < count; ++i) {
        int x = start[i];
        switch (x & 7) {
        case 0: x = x * 5 + 1; break;
        case 1: x ^= 0x55; break;
        case 2: x = x / 3 - 11; break;
        case 3: x -= 11; break;
        case 4: x = -x; break;
        case 5: x = -1; break;
        case 6: x <<= 2; break;
        default:
            for (int k = 0; k < (i & 3); ++k) x += k * i;
        }
        ASSERT_EQ(got[i], x) << i;
    }
}

TEST(Flow, ShortCircuitConditions)
{
    Machine machine("flow");
    const auto start = numbers(count, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(count));
    machine.run("either", shape, *in, *out, count);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < count; ++i) {
        const bool yes = start[i] % 2 == 0 || start[(i + 1) % count] % 3 == 0;
        ASSERT_EQ(got[i], yes ? (start[i] + 10) * 2 : start[i]) << i;
    }
}

TEST(Flow, ExitedThreadsDoNotBlockBarrier)
{
    Machine machine("flow");
    const int n = 40;
    const auto start = numbers(n, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(n));
    machine.run("early_then_barrier", {{1, 1, 1}, {64, 1, 1}, 0}, *in, *out, n);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < n; ++i) ASSERT_EQ(got[i], (i ^ 1) < n ? start[i ^ 1] : 0) << i;
}

TEST(Flow, CountsDivergentBranches)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(count));
    trace::Trace trace;
    machine.run_traced(&trace, "nested", shape, *out, count);
    const trace::Totals totals = trace.totals();
    EXPECT_GT(totals.divergent_branches, 31u); // at least one per warp
    EXPECT_LE(totals.divergent_branches, totals.branches);
    EXPECT_EQ(totals.global_store.requests, 32u); // 31 full warps and one with 8 lanes
    EXPECT_EQ(totals.global_store.lanes, 1000u);
    EXPECT_EQ(totals.global_store.sectors, 125u);
    EXPECT_LT(totals.thread_instructions, 32 * totals.warp_instructions);
}

} // namespace
} // namespace lanescope::simt
