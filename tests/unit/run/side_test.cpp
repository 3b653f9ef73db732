// One experiment without its worker: the counts that it reports while it steps.
#include "app/run/side/side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "app/document/editing/workbench.h"
#include "app/run/editing/trial.h"
#include "app/window/plots/source_heat.h"
#include "compute/assembled/tools.h"
#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

TEST(Side, ShowsTrialCountsFirst)
{
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    const Journal journal{{"heat", "naive", {{"size", "64"}}, 1, ""}, {}, 0};
    const labs::Lab& lab = labs::find("heat");
    Trials trials;
    const auto tried = trials.count(lab, labs::find_variant(lab, "naive"),
                                    {as_texts(lab, start_values(lab, journal.start))});
    ASSERT_TRUE(tried);
    MeasuredLive measured;
    Side side(shared, journal, measured);

    StepCost other = *tried;
    other.values["size"] = "65";
    side.show_counts_of_trial(other);
    EXPECT_FALSE(side.frame().counted_in_trial);
    other = *tried;
    other.reduced = "Size 33";
    side.show_counts_of_trial(other);
    EXPECT_FALSE(side.frame().counted_in_trial);

    side.show_counts_of_trial(*tried);
    EXPECT_TRUE(side.frame().counted_in_trial);
    EXPECT_EQ(side.frame().trace, tried->trace);
    const render::MappedScope mapped(shared.sharing());
    side.work({.steps = 1, .budget = {}, .view = lab.views.front()});
    EXPECT_TRUE(side.frame().counted_in_trial);
    Counting sites;
    sites.sites = true;
    side.work({.steps = 1, .budget = {}, .view = lab.views.front(), .counting = sites});
    EXPECT_FALSE(side.frame().counted_in_trial);
    EXPECT_NE(side.frame().trace, tried->trace);
    EXPECT_EQ(side.frame().trace->totals().warp_instructions, tried->totals.warp_instructions);
}

// The sectors of a step by the level that served them, per site and per warp of the picture.
TEST(Side, FollowsStepThroughCaches)
{
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    const Journal journal{{"heat", "naive", {{"size", "128"}}, 1, ""}, {}, 0};
    const labs::Lab& lab = labs::find("heat");
    MeasuredLive measured;
    Side side(shared, journal, measured);
    const render::MappedScope mapped(shared.sharing());
    const auto served = [&](caches::Before before, int steps) {
        Counting counting;
        counting.map = true;
        counting.caches = before;
        side.work({.steps = steps, .budget = {}, .view = lab.views.front(), .counting = counting});
        EXPECT_EQ(side.frame().counted.caches, before);
        return side.frame().served;
    };
    const auto cold = served(caches::Before::cold, 1);
    ASSERT_TRUE(cold);
    EXPECT_EQ(cold->unavailable, "");
    EXPECT_FALSE(cold->warm);
    const trace::Trace& trace = *side.frame().trace;
    ASSERT_EQ(cold->sites.size(), trace.sites.size());
    ASSERT_EQ(cold->warps.size(), trace.warps.size());
    trace::Served of_warps;
    for (const trace::Served& warp : cold->warps) of_warps += warp;
    EXPECT_EQ(of_warps, cold->sum());
    EXPECT_EQ(cold->sum().read(), trace.totals().global_load.sectors);
    EXPECT_GE(cold->sum().dram, 128u * 128 * 4 / 32) << "each sector is read once from memory";
    const auto warm = served(caches::Before::warm, 0); // the same step once more
    ASSERT_TRUE(warm);
    EXPECT_TRUE(warm->warm);
    EXPECT_EQ(warm->sum().dram, 0u) << "128 KiB stay in L2";
    EXPECT_EQ(warm->sum().l1, cold->sum().l1) << "L1 starts empty in both";
    Counting plain;
    plain.map = true;
    side.work({.steps = 1, .budget = {}, .view = lab.views.front(), .counting = plain});
    EXPECT_EQ(side.frame().served, nullptr) << "only if it is asked for";
}

// Recording every load of a tile costs more than the step, so it is not repeated while the lab
// steps. The first launch counts the tiles and finds the worst request, the second records that
// request; then both stay, marked as older. Asking for another request records at once.
TEST(Side, TilesStayWhileStepping)
{
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    const labs::Lab& lab = labs::find("matmul");
    const Journal journal{{"matmul", "naive", {{"size", "64"}}, 1, ""}, {}, 0};
    MeasuredLive measured;
    Side side(shared, journal, measured);
    const auto view = std::ranges::find(lab.views, labs::ViewKind::tiles,
                                        [&](const auto& name) { return lab.kind_of_view(name); });
    ASSERT_NE(view, lab.views.end());
    Counting tiles;
    tiles.request = RequestChoice{};
    const render::MappedScope mapped(shared.sharing());
    const auto work = [&](bool continues) {
        side.work(
            {.steps = 1, .budget = {}, .view = *view, .counting = tiles, .continues = continues});
        return side.frame();
    };
    const auto tiles_of = [](const SideFrame& frame) {
        return std::get<labs::TilesPicture>(frame.picture->shape).tiles;
    };
    const SideFrame first = work(true);
    EXPECT_GT(tiles_of(first)->arrays.front().elements_loaded, 0);
    EXPECT_FALSE(first.counted.request) << "which request is the worst is known now";
    const SideFrame second = work(true);
    EXPECT_EQ(tiles_of(second)->arrays.front().loads, tiles_of(first)->arrays.front().loads);
    EXPECT_EQ(second.counted, tiles);
    EXPECT_NE(second.trace->request.active, 0u);
    EXPECT_EQ(second.recorded_step, 0);
    EXPECT_FALSE(side.recording_lags());

    const auto counted = second.trace;
    for (int step = 3; step <= 5; ++step) {
        const SideFrame frame = work(true);
        EXPECT_EQ(side.launches(), step);
        EXPECT_EQ(frame.trace, counted) << "nothing was counted";
        EXPECT_EQ(frame.recorded_step, 2);
        EXPECT_TRUE(side.recording_lags());
    }
    tiles.request->warp = 3;
    EXPECT_NE(work(true).trace, counted) << "another warp was asked for";
    EXPECT_EQ(side.frame().recorded_step, 0);
    EXPECT_EQ(work(true).recorded_step, 6);
    EXPECT_EQ(work(false).recorded_step, 0) << "the last step of all is counted";
    EXPECT_FALSE(side.recording_lags());
}

// The SASS of a step's three kernels is requested until it is known for all of them.
TEST(Side, KnowsAssemblyOfAllKernels)
{
    if (const std::string missing = assembled::find_tools().missing; !missing.empty())
        GTEST_SKIP() << missing;
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    const labs::Lab& lab = labs::find("scan");
    const labs::Variant& variant = labs::find_variant(lab, "three_passes");
    const Journal journal{{"scan", variant.id, {{"count", "5000"}}, 1, ""}, {}, 0};
    MeasuredLive measured;
    Side side(shared, journal, measured);
    Counting counting;
    counting.sites = counting.sass = true;
    const render::MappedScope mapped(shared.sharing());
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
        side.work({.budget = {}, .view = lab.views.front(), .counting = counting});
    } while (!side.frame().counted.sass && std::chrono::steady_clock::now() < until);
    const SideFrame frame = side.frame();
    ASSERT_TRUE(frame.counted.sass);
    ASSERT_NE(frame.trace->assembled, nullptr);
    EXPECT_EQ(frame.trace->assembled->reason, "");
    EXPECT_EQ(frame.trace->assembled_counts.size(), frame.trace->counts.size());
    EXPECT_LT(frame.trace->assembled_totals().shared_load.wavefronts,
              frame.trace->totals().shared_load.wavefronts);
    std::string words;
    for (const SourceLine& line : source_heat(lab.source(variant), variant.source, *frame.trace))
        for (const auto& instruction : line.instructions) words += instruction.sass + '\n';
    EXPECT_NE(words.find("LDS.128"), words.npos) << words;
    EXPECT_NE(words.find("moved along with a neighbour"), words.npos);
    EXPECT_NE(words.find("wavefronts as assembled"), words.npos);
}

} // namespace
} // namespace lanescope::app
