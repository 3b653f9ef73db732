// The time of made-up launches: each limit, by a launch that leaves the other units idle.
#include "compute/predicted/prediction.h"

#include <gtest/gtest.h>

namespace lanescope::predicted {
namespace {

const counting::Gpu& h100()
{
    return counting::gpu_named("H100");
}

// Fills the GPU with blocks that do nothing.
Work idle()
{
    Work work;
    work.blocks = 132 * 8;
    work.warps_per_block = 8;
    work.resident_blocks = 8;
    return work;
}

TEST(Prediction, EmptyKernelCostsOnlyItsLaunch)
{
    Work work = idle();
    work.blocks = 1;
    const Prediction made = predict(work, h100());
    EXPECT_NEAR(made.us, made.launch_us, 0.01);
    EXPECT_TRUE(made.by_launch);
    EXPECT_GT(made.launch_us, 2);
}

TEST(Prediction, DramLimitsACopy)
{
    Work work = idle();
    work.dram_bytes = 2.0 * (1 << 30);
    work.l2_read_bytes = work.l2_written_bytes = 1 << 30;
    const Prediction made = predict(work, h100());
    EXPECT_EQ(made.limit, Unit::dram);
    EXPECT_FALSE(made.by_launch);
    // Measured: 2.97 to 2.98 TB/s.
    EXPECT_NEAR(work.dram_bytes / made.us * 1e-6, 2.98, 0.06);
    EXPECT_GT(made.use(Unit::dram), 0.98);
}

TEST(Prediction, LaunchesAfterOneAnotherAddUp)
{
    Work copy = idle();
    copy.dram_bytes = 2.0 * (1 << 30);
    Work empty = idle();
    empty.blocks = 1;
    const Prediction large = predict(copy, h100()), small = predict(empty, h100());
    const Prediction sum = sum_of(std::vector{small, large, small});
    EXPECT_DOUBLE_EQ(sum.us, large.us + 2 * small.us);
    EXPECT_DOUBLE_EQ(sum.launch_us, 3 * large.launch_us);
    EXPECT_EQ(sum.limit, Unit::dram);
    EXPECT_FALSE(sum.by_launch);
    EXPECT_EQ(sum.error.launches, large.error.launches);
    EXPECT_TRUE(sum_of(std::vector{small, small}).by_launch);
}

TEST(Prediction, MemoryOfTheH200IsFaster)
{
    Work work = idle();
    work.dram_bytes = 1 << 30;
    EXPECT_LT(predict(work, counting::gpu_named("H200")).us, predict(work, h100()).us * 0.75);
}

TEST(Prediction, L2LimitsResidentData)
{
    Work work = idle();
    work.l2_read_bytes = work.l2_written_bytes = 16 << 20;
    EXPECT_EQ(predict(work, h100()).limit, Unit::l2);
}

TEST(Prediction, ScatteredStoresCostMoreL2TimeThanTheirBytes)
{
    Work together = idle(), apart = idle();
    together.l2_written_bytes = apart.l2_written_bytes = 32 << 20;
    together.l2_store_lines = (32 << 20) / 128;
    apart.l2_store_lines = (32 << 20) / 32;
    EXPECT_GT(predict(apart, h100()).of(Unit::l2), 2 * predict(together, h100()).of(Unit::l2));
}

TEST(Prediction, AtomicsAtOneAddressTakeTurns)
{
    Work spread = idle(), together = idle();
    spread.l2_atomic_sectors = together.l2_atomic_sectors = 1e6;
    spread.l2_busiest_updates = 1e3;
    together.l2_busiest_updates = 1e6;
    const Prediction made = predict(together, h100());
    EXPECT_EQ(made.limit, Unit::l2);
    EXPECT_GT(made.of(Unit::l2), 20 * predict(spread, h100()).of(Unit::l2));
    EXPECT_NEAR(made.of(Unit::l2), 590, 30); // 1.7 per ns
}

TEST(Prediction, IssueSlotsLimitArithmetic)
{
    Work work = idle();
    // 2^30 fused multiply-adds per multiprocessor, of 128 lanes per cycle: the peak in TFLOP/s.
    work.issue = 132.0 * (1 << 30) / 128;
    work.pipes[static_cast<std::size_t>(Pipe::fma)] = work.issue;
    const Prediction made = predict(work, h100());
    EXPECT_EQ(made.limit, Unit::instructions);
    EXPECT_EQ(made.pipe, "issue slots");
    EXPECT_NEAR(2 * 132.0 * (1 << 30) / made.us * 1e-6, 65.9, 1);
}

TEST(Prediction, ASlowPipeIsNamed)
{
    Work work = idle();
    work.issue = 1e6;
    work.pipes[static_cast<std::size_t>(Pipe::special)] = 4e6;
    const Prediction made = predict(work, h100());
    EXPECT_EQ(made.limit, Unit::instructions);
    EXPECT_EQ(made.pipe, "special-function pipe");
}

TEST(Prediction, SharedMemoryLimitsConflicts)
{
    Work work = idle();
    work.data = 132e5;
    work.issue = 132e4;
    EXPECT_EQ(predict(work, h100()).limit, Unit::data);
}

TEST(Prediction, ManySmallBlocksTakeTimeToStart)
{
    Work work = idle();
    work.blocks = 262144;
    const Prediction made = predict(work, h100());
    EXPECT_EQ(made.limit, Unit::block_starts);
    EXPECT_NEAR(made.of(Unit::block_starts), 161, 3); // measured: 160 to 162 us
    EXPECT_LT(predict_in_fewer_blocks(work, h100()).us, made.us / 3);
}

TEST(Prediction, LatencyLimitsOneBlock)
{
    Work work = idle();
    work.blocks = 1;
    work.chain.cycles = 1e5;
    work.issue = 1e4;
    const Prediction made = predict(work, h100());
    EXPECT_EQ(made.limit, Unit::latency);
    EXPECT_GT(made.us, 1e5 / 1980);
}

TEST(Prediction, WavesFollowOneAnother)
{
    Work work = idle();
    work.chain.cycles = 1e5;
    const double one = predict(work, h100()).of(Unit::latency);
    work.blocks += 1;
    EXPECT_NEAR(predict(work, h100()).of(Unit::latency), 2 * one, 1e-6);
    EXPECT_GT(predict(work, h100()).waves, 1);
}

TEST(Prediction, AWarpUsesOneOfFourPartitions)
{
    Work work = idle();
    work.blocks = 1;
    work.issue = 1e6;
    work.warps_per_block = 4;
    const double four = predict(work, h100()).of(Unit::instructions);
    work.warps_per_block = 1;
    EXPECT_NEAR(predict(work, h100()).of(Unit::instructions), 4 * four, 1e-6);
}

TEST(Prediction, MoreWorkNeverTakesLess)
{
    Work work = idle();
    work.issue = work.data = 1e5;
    work.l2_read_bytes = work.l2_written_bytes = work.dram_bytes = 1e6;
    work.l2_store_lines = work.l2_atomic_sectors = work.l2_busiest_updates = 1e3;
    work.chain.cycles = 1e3;
    const double before = predict(work, h100()).us;
    for (double Work::*part :
         {&Work::issue, &Work::data, &Work::l2_read_bytes, &Work::l2_written_bytes,
          &Work::l2_store_lines, &Work::l2_atomic_sectors, &Work::l2_busiest_updates,
          &Work::dram_bytes}) {
        Work more = work;
        more.*part *= 100;
        EXPECT_GE(predict(more, h100()).us, before);
    }
    Work longer = work;
    longer.chain.cycles *= 100;
    EXPECT_GT(predict(longer, h100()).us, before);
}

TEST(Prediction, OnlyMeasuredGpusAreValidated)
{
    EXPECT_TRUE(predict(idle(), h100()).validated);
    EXPECT_TRUE(predict(idle(), counting::gpu_named("H200")).validated);
    EXPECT_FALSE(predict(idle(), counting::gpu_named("T4")).validated);
}

} // namespace
} // namespace lanescope::predicted
