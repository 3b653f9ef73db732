// Data about a step that a GPU does not record comes from a lockstep machine that repeats the step.
#include "app/run/maps/simt_replay.h"

#include <gtest/gtest.h>

#include "app/document/experiment/journal.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

DebugStart small_products(const char* variant)
{
    const labs::Lab& lab = labs::find("matmul");
    labs::Values values(lab);
    values.set("size", "64");
    return {.lab = &lab, .variant = &labs::find_variant(lab, variant), .values = values};
}

Counting load_of_tiles(int load)
{
    Counting wanted;
    wanted.request = RequestChoice{.site = -1, .warp = 40, .request = load};
    return wanted;
}

TEST(SimtReplay, RecordsTilesOfRequestedBlock)
{
    SimtReplay simt_replay;
    for (const int load : {0, 3}) {
        trace::Trace trace;
        simt_replay.complete(small_products("tile_16"), "tiles", load_of_tiles(load), false, trace);
        EXPECT_EQ(trace.watched_block.moments, 4U);
        ASSERT_EQ(trace.watched_block.arrays.size(), 3U);
        EXPECT_FALSE(trace.watched_block.arrays.front().elements.empty());
    }
}

TEST(SimtReplay, ReplaysDisplayedStep)
{
    SimtReplay simt_replay;
    DebugStart start = small_products("tile_16");
    trace::Trace trace;
    start.launches_before = 4;
    simt_replay.complete(start, "tiles", load_of_tiles(0), false, trace);
    EXPECT_EQ(simt_replay.step(), 5);
    EXPECT_FALSE(simt_replay.lags(5));
    start.launches_before = 6;
    simt_replay.complete(start, "tiles", load_of_tiles(0), true, trace);
    EXPECT_EQ(simt_replay.step(), 5) << "while steps follow each other, it may be of another one";
    EXPECT_TRUE(simt_replay.lags(7));
    simt_replay.complete(start, "tiles", load_of_tiles(0), false, trace);
    EXPECT_EQ(simt_replay.step(), 7);
    simt_replay.complete(start, "field", {}, false, trace);
    EXPECT_EQ(simt_replay.step(), 0) << "nothing is recorded";
    EXPECT_FALSE(simt_replay.lags(7));
}

TEST(SimtReplay, RepeatsPriorActions)
{
    SimtReplay simt_replay;
    DebugStart start = small_products("tile_32");
    start.first = &labs::find_variant(*start.lab, "tile_16");
    start.launches_before = 2;
    start.events = {{1, VariantChange{"tile_32"}}};
    trace::Trace trace;
    simt_replay.complete(start, "tiles", load_of_tiles(0), false, trace);
    EXPECT_EQ(simt_replay.step(), 3);
    EXPECT_EQ(trace.watched_block.moments, 2U) << "64 elements are two tiles of 32";
}

TEST(SimtReplay, UsesFirstStepIfCurrentTakesLong)
{
    SimtReplay simt_replay;
    DebugStart start = small_products("tile_16");
    start.launches_before = 100'000'000;
    trace::Trace trace;
    simt_replay.complete(start, "tiles", load_of_tiles(0), false, trace);
    EXPECT_EQ(simt_replay.step(), 1);
    EXPECT_EQ(trace.watched_block.moments, 4U);
    EXPECT_FALSE(simt_replay.lags(100'000'001)) << "it was tried";
}

} // namespace
} // namespace lanescope::app
