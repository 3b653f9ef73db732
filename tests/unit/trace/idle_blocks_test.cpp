// Grids that are much larger than their work are found from counts alone; small or busy ones not.
#include <gtest/gtest.h>

#include "compute/trace/idle_blocks.h"

namespace lanescope::trace {
namespace {

// A launch of `blocks` blocks, with this many executions of its load and of its branch.
Trace launched(std::uint32_t blocks, std::uint64_t loads, std::uint64_t branches)
{
    Trace trace;
    trace.kernel = "scale";
    trace.grid = {blocks, 1, 1};
    trace.block = {256, 1, 1};
    trace.sites.resize(2);
    trace.sites[0].space = Space::global;
    trace.sites[1].op = Op::branch;
    trace.counts.resize(2);
    trace.counts[0].executions = loads;
    trace.counts[1].executions = branches;
    return trace;
}

TEST(IdleBlocks, MisplacedBracketIsFound)
{
    // (500'000 + 255 / 256) blocks of 256 threads for 500'000 elements: 15,625 warps load.
    const auto found = idle_blocks(launched(500'000, 15'625, 4'000'000));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->idle, 484'375u);
    EXPECT_NE(found->sentence.find("484375 of the 500000 blocks of scale"), std::string::npos);
}

TEST(IdleBlocks, OtherGridsAreNotReported)
{
    EXPECT_FALSE(idle_blocks(launched(1954, 15'625, 15'632))); // the grid fits its work
    EXPECT_FALSE(idle_blocks(launched(1000, 1000, 8000)));     // one thread per block works
    EXPECT_FALSE(idle_blocks(launched(1000, 0, 8000)));        // no access at all
    EXPECT_FALSE(idle_blocks(launched(63, 1, 63)));            // a small grid
    EXPECT_FALSE(idle_blocks(launched(800, 101, 800)));        // more than 1/8 may work
    EXPECT_TRUE(idle_blocks(launched(800, 100, 800)));
    Trace faulty = launched(1000, 1, 1000);
    faulty.faults.emplace_back();
    EXPECT_FALSE(idle_blocks(faulty)); // the launch stopped early
    Trace parent = launched(1000, 1, 1000);
    parent.device_launches = 1;
    EXPECT_FALSE(idle_blocks(parent)); // its blocks may do nothing but launch kernels
}

} // namespace
} // namespace lanescope::trace
