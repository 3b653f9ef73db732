// The numbers behind the colours of maps.
#include "compute/trace/metrics.h"

#include <gmock/gmock.h>

#include <cmath>

namespace {

using namespace lanescope::trace;
using testing::ElementsAre;
using testing::FloatEq;
using testing::IsNan;

WarpCounts busy_warp()
{
    WarpCounts warp;
    warp.warp_instructions = 40;
    warp.global_requests = 3;
    warp.shared_requests = 4;
    warp.branches = 1;
    warp.memory_lanes = 128;
    warp.global_sectors = 24;
    warp.global_ideal_sectors = 12;
    warp.shared_wavefronts = 16;
    warp.shared_ideal_wavefronts = 4;
    warp.divergent_branches = 1;
    return warp;
}

TEST(WarpMetric, SaysWhatAWarpDid)
{
    const WarpCounts warp = busy_warp();
    EXPECT_FLOAT_EQ(value(warp, WarpMetric::active_lanes), 16);
    EXPECT_FLOAT_EQ(value(warp, WarpMetric::global_excess), 2);
    EXPECT_FLOAT_EQ(value(warp, WarpMetric::shared_conflicts), 4);
    EXPECT_FLOAT_EQ(value(warp, WarpMetric::instructions), 40);
    EXPECT_FLOAT_EQ(value(warp, WarpMetric::divergence), 1);
}

TEST(WarpMetric, IsNothingForAWarpThatDidNothingOfIt)
{
    const WarpCounts idle;
    for (WarpMetric metric : {WarpMetric::active_lanes, WarpMetric::global_excess,
                              WarpMetric::shared_conflicts, WarpMetric::divergence})
        EXPECT_TRUE(std::isnan(value(idle, metric))) << text(metric).title;
}

TEST(PaintWarps, ColoursAnElementByItsOwner)
{
    Trace trace;
    trace.warps = {busy_warp(), {}};
    trace.warps[1].warp_instructions = 7;
    trace.footprint.owners = {2, 0, 1, 9};
    std::vector<float> values(5);
    paint_warps(trace, WarpMetric::instructions, values);
    EXPECT_THAT(values, ElementsAre(FloatEq(7), IsNan(), FloatEq(40), IsNan(), IsNan()));
}

TEST(PaintMemory, LeavesUntouchedSectorsOut)
{
    Trace trace;
    trace.watched.touches = {0, 5, 2};
    trace.watched.warps = {0, 1, 2};
    std::vector<float> values(3);
    paint_memory(trace, MemoryMetric::touches, values);
    EXPECT_THAT(values, ElementsAre(IsNan(), FloatEq(5), FloatEq(2)));
    paint_memory(trace, MemoryMetric::warps, values);
    EXPECT_THAT(values, ElementsAre(IsNan(), FloatEq(1), FloatEq(2)));
}

} // namespace
