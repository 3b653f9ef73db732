// Sums of counts: over sites by space and operation.
#include <gtest/gtest.h>

#include "compute/trace/trace.h"

namespace lanescope::trace {
namespace {

Site site(Space space, Op op)
{
    Site made;
    made.space = space;
    made.op = op;
    made.width_bytes = op == Op::branch ? 0 : 4;
    return made;
}

Trace example()
{
    Trace trace;
    trace.kernel = "k";
    trace.grid = {2, 1, 1};
    trace.block = {32, 1, 1};
    trace.sites.resize(5);
    trace.counts.resize(10);
    trace.sites[0] = site(Space::global, Op::load);
    trace.counts[0] = {
        .executions = 2, .lanes = 64, .requests = 2, .sectors = 8, .ideal_sectors = 8};
    trace.sites[1] = site(Space::shared, Op::store);
    trace.counts[1] = {
        .executions = 2, .lanes = 60, .requests = 2, .wavefronts = 5, .ideal_wavefronts = 2};
    trace.sites[2] = site(Space::generic, Op::load);
    trace.counts[2] = {.executions = 1,
                       .lanes = 32,
                       .requests = 2,
                       .sectors = 4,
                       .ideal_sectors = 4,
                       .wavefronts = 4,
                       .ideal_wavefronts = 1};
    trace.counts[5 + 2] = {.lanes = 12, .requests = 1, .wavefronts = 3, .ideal_wavefronts = 1};
    trace.sites[3] = site(Space::global, Op::reduction);
    trace.counts[3] = {
        .executions = 1, .lanes = 3, .requests = 1, .sectors = 3, .ideal_sectors = 1};
    trace.sites[4] = site(Space::none, Op::branch);
    trace.counts[4] = {.executions = 7, .lanes = 200, .divergent = 3};
    trace.warp_instructions = 100;
    trace.thread_instructions = 3000;
    return trace;
}

TEST(Sums, TotalsBySpaceAndOperation)
{
    const Totals totals = example().totals();
    EXPECT_EQ(totals.global_load.requests, 3u);
    EXPECT_EQ(totals.global_load.sectors, 12u);
    // The generic load reached both memories.
    EXPECT_EQ(totals.global_load.lanes, 64u + 20u);
    EXPECT_EQ(totals.global_load.wavefronts, 1u);
    EXPECT_EQ(
        totals.shared_load,
        (Counts{
            .executions = 1, .lanes = 12, .requests = 1, .wavefronts = 3, .ideal_wavefronts = 1}));
    EXPECT_EQ(totals.shared_store.wavefronts, 5u);
    EXPECT_EQ(totals.global_atomic.sectors, 3u);
    EXPECT_EQ(totals.branches, 7u);
    EXPECT_EQ(totals.divergent_branches, 3u);
    EXPECT_EQ(totals.warp_instructions, 100u);
}

} // namespace
} // namespace lanescope::trace
