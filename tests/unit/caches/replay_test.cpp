// Tests where blocks run and when warps do, by which cache serves a line that two of them load.
#include "compute/caches/replay.h"

#include <gtest/gtest.h>

#include "compute/error.h"

namespace lanescope::caches {
namespace {

using Warp = std::vector<Word>;

// A load by site `site` of the first sector of a line.
Word load(std::uint32_t site, Line line)
{
    return Word(site, line, 0b0001);
}

// A recording of loads only, with one site per line of the text's order.
struct Launch : Recording {
    explicit Launch(std::uint32_t site_count, const std::vector<std::vector<Warp>>& warps_per_block)
    {
        begin({static_cast<std::uint32_t>(warps_per_block.size()), 1, 1}, {32, 1, 1},
              std::vector<trace::Site>(site_count));
        for (std::size_t i = 0; i < warps_per_block.size(); ++i)
            for (const Warp& warp : warps_per_block[i]) {
                blocks[i].words.insert(blocks[i].words.end(), warp.begin(), warp.end());
                blocks[i].ends.push_back(static_cast<std::uint32_t>(blocks[i].words.size()));
            }
    }
};

// Sectors by site, on multiprocessors that hold this many blocks each.
std::vector<Served> run_on(int multiprocessors, int resident, const Recording& launch)
{
    return Replay({.multiprocessors = multiprocessors, .l2_bytes = 1 << 16})
        .run(launch, {resident, 1 << 14});
}

Served l1()
{
    return {.l1 = 1};
}
Served l2()
{
    return {.l2 = 1};
}
Served dram()
{
    return {.dram = 1};
}

TEST(Words, KeepTheirFields)
{
    const Line high = 0x7fff'ffff'ffffu >> 7;
    Word word(Word::max_sites - 1, high, 0b1010);
    EXPECT_EQ(word.site(), Word::max_sites - 1);
    EXPECT_EQ(word.line(), high);
    EXPECT_EQ(word.sectors(), 0b1010u);
    EXPECT_FALSE(word.continues());
    word.continue_request();
    EXPECT_TRUE(word.continues());
    EXPECT_EQ(word.site(), Word::max_sites - 1);
    EXPECT_FALSE(word.is_barrier());
    EXPECT_TRUE(Word::barrier().is_barrier());
}

TEST(Replay, BlocksAreDealtInTurnThenWhereverThereIsRoom)
{
    // Blocks 0 and 2 run on the first multiprocessor, 1 and 3 on the second.
    const Launch launch(4, {{{load(0, 10)}}, {{load(1, 11)}}, {{load(2, 10)}}, {{load(3, 10)}}});
    const std::vector<Served> one = run_on(2, 1, launch);
    EXPECT_EQ(one, (std::vector<Served>{dram(), dram(), l1(), l2()}));
    // Resident beside blocks 0 and 1, blocks 2 and 3 have the same places.
    const std::vector<Served> two = run_on(2, 2, launch);
    EXPECT_EQ(two, (std::vector<Served>{dram(), dram(), l1(), l2()}));
    const std::vector<Served> all = run_on(4, 1, launch);
    EXPECT_EQ(all, (std::vector<Served>{dram(), dram(), l2(), l2()}));
}

TEST(Replay, EarlyEndOfBlockMakesRoomForNext)
{
    // Block 0 makes many more requests than the others, which all run on the second multiprocessor.
    Warp many;
    for (Line line = 0; line < 30; ++line) many.push_back(load(0, 10 + line));
    const Launch launch(4, {{many}, {{load(1, 100)}}, {{load(2, 100)}}, {{load(3, 100)}}});
    const std::vector<Served> result = run_on(2, 1, launch);
    EXPECT_EQ(result[1], dram());
    EXPECT_EQ(result[2], l1());
    EXPECT_EQ(result[3], l1());
}

TEST(Replay, WarpsTakeTurns)
{
    // Order: 10 (site 0), 20 (site 2), 20 (site 1), 10 (site 3).
    const Launch launch(4, {{{load(0, 10), load(1, 20)}, {load(2, 20), load(3, 10)}}});
    const std::vector<Served> result = run_on(1, 1, launch);
    EXPECT_EQ(result, (std::vector<Served>{dram(), l1(), dram(), l1()}));
}

TEST(Replay, WarpsWaitAtABarrier)
{
    const Word barrier = Word::barrier();
    const Launch waits(
        4, {{{load(0, 10), load(1, 20), load(2, 30), barrier}, {barrier, load(3, 30)}}});
    EXPECT_EQ(run_on(1, 1, waits), (std::vector<Served>{dram(), dram(), dram(), l1()}));
    const Launch runs(4, {{{load(0, 10), load(1, 20), load(2, 30)}, {load(3, 30)}}});
    EXPECT_EQ(run_on(1, 1, runs), (std::vector<Served>{dram(), dram(), l1(), dram()}));
    // A warp that has ended is not waited for.
    const Launch ended(3, {{{load(0, 10)}, {load(1, 20), barrier, load(2, 10)}}});
    EXPECT_EQ(run_on(1, 1, ended), (std::vector<Served>{dram(), dram(), l1()}));
}

TEST(Replay, RequestOfSeveralLinesTakesOneTurn)
{
    // Both lines of the first warp's request come before the second warp's.
    Word first = load(0, 10);
    first.continue_request();
    const Launch launch(2, {{{first, load(0, 20)}, {load(1, 20)}}});
    EXPECT_EQ(run_on(1, 1, launch), (std::vector<Served>{{.dram = 2}, l1()}));
}

TEST(Replay, LaunchFindsL2AsPreviousLaunchLeftIt)
{
    const Launch launch(2, {{{load(0, 10), load(1, 20)}}, {{load(1, 20)}}});
    Replay replay({.multiprocessors = 2, .l2_bytes = 1 << 16});
    const Fit fit{1, 1 << 14};
    EXPECT_EQ(replay.run(launch, fit), (std::vector<Served>{dram(), {.l2 = 1, .dram = 1}}));
    EXPECT_EQ(replay.traffic().dram_reads, 2u);
    EXPECT_EQ(replay.run(launch, fit), (std::vector<Served>{l2(), {.l2 = 2}}));
    EXPECT_EQ(replay.traffic().dram_reads, 2u);
    EXPECT_EQ(replay.traffic().l2_reads, 6u);
    replay.forget();
    EXPECT_EQ(replay.traffic(), Traffic{});
}

TEST(Replay, WarmMeansAfterTheSameLaunches)
{
    Recordings launches;
    for (const Line line : {10, 20}) {
        Recording& launch = launches.add();
        launch.begin({1, 1, 1}, {32, 1, 1}, std::vector<trace::Site>(1));
        launch.blocks[0] = {{1}, {load(0, line)}};
    }
    const counting::Gpu& gpu = counting::gpu_named("H100");
    const Result cold = replay(launches, gpu, Before::cold);
    EXPECT_EQ(cold.traffic.dram_reads, 2u);
    EXPECT_EQ(cold.launches, (std::vector<std::vector<Served>>{{dram()}, {dram()}}));
    const Result warm = replay(launches, gpu, Before::warm);
    EXPECT_EQ(warm.traffic.dram_reads, 0u);
    EXPECT_EQ(warm.traffic.l2_reads, 2u);
    EXPECT_EQ(warm.launches, (std::vector<std::vector<Served>>{{l2()}, {l2()}}));
}

TEST(Replay, AttributesSectorsToWarps)
{
    // Two warps per block; the second one of block 1 accesses nothing.
    Launch launch(1, {{{load(0, 10)}, {load(0, 10), load(0, 20)}}, {{load(0, 20)}, {}}});
    launch.block = {64, 1, 1};
    Replay replay({.multiprocessors = 2, .l2_bytes = 1 << 16});
    std::vector<Served> warps;
    const auto sites = replay.run(launch, {1, 1 << 14}, &warps);
    ASSERT_EQ(warps.size(), 4u);
    EXPECT_EQ(warps[0], dram());
    // A multiprocessor makes up to eight requests before the next one, so block 0 loads line 20.
    EXPECT_EQ(warps[1], (Served{.l1 = 1, .dram = 1}));
    EXPECT_EQ(warps[2], l2());
    EXPECT_EQ(warps[3], Served{});
    EXPECT_EQ(sites, (std::vector<Served>{{.l1 = 1, .l2 = 1, .dram = 2}}));
}

TEST(Replay, SkipsBlockWithoutAccesses)
{
    const Launch launch(1, {{{}}, {{}, {}}, {{Word::barrier(), load(0, 10)}}, {}});
    EXPECT_EQ(run_on(1, 1, launch), (std::vector<Served>{dram()}));
}

TEST(Recordings, DescribeHowSitesUseCaches)
{
    const auto use = [](trace::Op op, const char* ptx) {
        trace::Site site;
        site.op = op;
        site.ptx = ptx;
        return uses_of({site}).front();
    };
    EXPECT_EQ(use(trace::Op::load, "ld.global.f32 %f1, [%rd1.cg];"), Access::load);
    EXPECT_EQ(use(trace::Op::load, "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"),
              Access::load);
    EXPECT_EQ(use(trace::Op::load, "ld.global.cg.f32 %f1, [%rd1];"), Access::load_at_l2);
    EXPECT_EQ(use(trace::Op::load, "ld.volatile.global.u32 %r1, [%rd1];"), Access::load_at_l2);
    EXPECT_EQ(use(trace::Op::load, "ld.relaxed.cta.global.u32 %r1, [%rd1];"), Access::load);
    EXPECT_EQ(use(trace::Op::load, "cp.async.cg.shared.global [%r1], [%rd1], 16;"),
              Access::load_at_l2);
    EXPECT_EQ(use(trace::Op::store, "st.global.f32 [%rd1], %f1;"), Access::store);
    EXPECT_EQ(use(trace::Op::reduction, "red.global.add.u32 [%rd1], %r1;"), Access::atomic);
}

TEST(Recordings, RefuseGridsThatAreTooLarge)
{
    Recording recording;
    EXPECT_THROW(recording.begin({1 << 16, 1 << 16, 1}, {32, 1, 1}, {}), Error);
}

TEST(Recordings, RestartWithEachLaunch)
{
    Recordings launches;
    Recording& launch = launches.add();
    launch.begin({2, 1, 1}, {32, 1, 1}, std::vector<trace::Site>(1));
    launch.blocks[1] = {{1}, {load(0, 10)}};
    launch.words = 1;
    launch.begin({2, 1, 1}, {32, 1, 1}, std::vector<trace::Site>(1));
    EXPECT_TRUE(launch.blocks[1].words.empty());
    EXPECT_EQ(launch.words.load(), 0u);
}

TEST(Recordings, ShareTheirMemory)
{
    Recordings launches;
    launches.add().words = Recordings::default_max_words - 1;
    EXPECT_FALSE(launches.overflow());
    Recording& second = launches.add();
    second.words = 1;
    EXPECT_FALSE(launches.overflow());
    second.words = 2;
    EXPECT_TRUE(second.overflows());
    EXPECT_TRUE(launches.overflow());
}

TEST(Fits, SharedMemoryAndRegistersLimitResidentBlocks)
{
    const counting::Gpu& gpu = counting::gpu_named("H100");
    Recording launch;
    launch.block = {256, 1, 1};
    launch.registers_per_thread = 32;
    Fit fit = fit_of(gpu, launch);
    EXPECT_EQ(fit.resident_blocks, 8);
    // Eight blocks reserve 1 KiB each: 8 of 256 KiB are shared memory.
    EXPECT_EQ(fit.l1_bytes, 248u * 1024);
    launch.shared_bytes_per_block = 16 * 1024; // 17 KiB with what is reserved: 136 KiB for eight
    fit = fit_of(gpu, launch);
    EXPECT_EQ(fit.resident_blocks, 8);
    EXPECT_EQ(fit.l1_bytes, (256u - 164) * 1024);
    launch.registers_per_thread = 128; // 32,768 registers per block
    EXPECT_EQ(fit_of(gpu, launch).resident_blocks, 2);
    EXPECT_EQ(fit_of(gpu, launch).l1_bytes, (256u - 64) * 1024);
    EXPECT_EQ(sizes_of(gpu).multiprocessors, 132);
    EXPECT_EQ(sizes_of(gpu).l2_partitions, 2);
    EXPECT_EQ(sizes_of(counting::gpu_named("T4")).l2_partitions, 1);
}

} // namespace
} // namespace lanescope::caches
