// What a GPU does not note of a step is noted by a lockstep machine that makes the same step.
#include "app/run/maps/simt_replay.h"

#include <gtest/gtest.h>

#include "compute/labs/lab.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

TEST(SimtReplay, SeesTheTilesOfTheAskedBlockAndAllItsLoads)
{
    const labs::Lab& lab = labs::find("matmul");
    labs::Values values(lab);
    values.set("size", "64");
    const auto device = simt::make_device(); // in the place of the GPU
    device::PlainAllocator memory(*device);
    SimtReplay simt_replay;
    for (const int load : {0, 3}) {
        Counting wanted;
        wanted.request = RequestChoice{.site = -1, .warp = 40, .request = load};
        trace::Trace trace;
        simt_replay.complete(
            {*device, memory, lab, labs::find_variant(lab, "tile_16"), values, 1, {}}, "tiles",
            wanted, trace);
        EXPECT_EQ(trace.watched_block.moments, 4U);
        ASSERT_EQ(trace.watched_block.arrays.size(), 3U);
        EXPECT_FALSE(trace.watched_block.arrays.front().elements.empty());
    }
}

} // namespace
} // namespace lanescope::app
