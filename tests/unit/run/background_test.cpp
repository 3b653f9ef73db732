// Background measurements: the points of a sweep belong to the plan that was passed with them.
#include "app/run/actors/background.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

// When a sweep has finished, its memory is freed, and the next sweep often gets the same address.
// Its table has other columns: the previous plan would read past the end of the table.
TEST(Background, SweepUsesItsOwnPlan)
{
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    MeasuredLive measured;
    const auto side_of = [&](const char* lab) {
        const Journal journal{{lab, labs::find(lab).variants.front().id, {}, 1, ""}, {}, 0};
        return std::make_unique<Side>(shared, journal, measured);
    };
    const auto first = side_of("coalescing"), second = side_of("heat");
    Background background;
    SweepSettings wanted;
    wanted.follow = true;
    for (int turn = 0; turn < 6; ++turn) {
        const Side& side = turn % 2 == 0 ? *first : *second;
        // The first call cancels the previous sweep, whose result is not fetched before the next
        // sweep runs.
        for (int i = 0; i < 2000 && (i == 0 || !background.sweep_runs()); ++i) {
            background.follow(wanted, side, shared.device());
            std::this_thread::sleep_for(1ms);
        }
        background.take(measured);
        ASSERT_TRUE(background.frame() && background.frame()->plan);
        EXPECT_EQ(background.frame()->plan->lab, &side.lab()) << "turn " << turn;
    }
    background.end();
}

// While the window is paused, no new times arrive. The panel must keep the last ones, also if the
// second side of A/B is timed later than the first.
TEST(Background, TimesStayWhilePaused)
{
    MeasuredLive measured;
    measured.variants["naive"].step_ms.add(3);
    measured.variants["naive"].probed_ms.add(9);
    Background background;
    std::promise<Roofs> roofs;
    background.expect_roofs(roofs.get_future());
    EXPECT_FALSE(background.take(measured));
    measured.forget_outdated_times();
    EXPECT_EQ(measured.step_ms("naive").count, 1u);
    roofs.set_value({.copy_gb_per_s = 3000});
    EXPECT_TRUE(background.take(measured));
    EXPECT_EQ(background.roofs().copy_gb_per_s, 3000);
    measured.variants["shared_tile"].step_ms.add(2);
    EXPECT_EQ(measured.step_ms("naive").median, 3);
    EXPECT_EQ(measured.probed_ms("naive").median, 9);

    measured.forget_outdated_times();
    EXPECT_EQ(measured.step_ms("naive").count, 0u);
    EXPECT_EQ(measured.probed_ms("naive").count, 0u);
    EXPECT_FALSE(measured.frame().at("naive").step_ms);
    measured.variants["naive"].step_ms.add(1);
    measured.forget_outdated_times();
    EXPECT_EQ(measured.step_ms("naive").median, 1);
    background.end();
}

} // namespace
} // namespace lanescope::app
